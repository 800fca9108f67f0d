/** Creates the cards of recommendations, each with its number and a link to its evidence. */

import type { Context } from "../../core/context";
import type { Filter } from "../../core/protocol/protocol";
import type { Key } from "../../core/state/traits";
import { link, withCode } from "../../parts/states";
import type { Rows } from "../../values/arrow";
import { displayName, middleCut } from "../../values/names";

interface Evidence {
  table: string;
  filter?: Filter;
  group_by?: string;
  row?: Key;
}

const SEVERITIES: Record<string, string> = { high: "High", medium: "Medium", low: "Note" };

/** The link texts for tables of this view. */
const OWN: Record<string, string> = {
  steps: "Show the steps",
  overview: "Show the execution summary",
  device_time: "Show the device time",
  device_summary: "Show the device",
};

/**
 * The first finding in one line, where the cards stand below a chart, and the way to all of them.
 *
 * @param beside - that a filter does not apply to them, or nothing
 */
export function lead(ctx: Context, rows: Rows, beside: string, reveal: () => void): HTMLElement {
  const { h } = ctx;
  const { severity, number, finding } = readCard(rows, 0);
  const more = rows.length > 1 ? `All ${rows.length} recommendations` : "Show the recommendation";
  return h(
    "div",
    { class: "nbp-lead", style: `--severity:var(--sev-${severity})` },
    h("span", { class: "nbp-label" }, SEVERITIES[severity]),
    h("p", { title: rows.text("message", 0) }, h("strong", {}, number), " ", finding),
    beside ? h("span", { class: "nbp-muted", title: beside }, "of all work") : null,
    link(h, more, reveal),
  );
}

export function cards(ctx: Context, rows: Rows, reveal: (table: string) => void): HTMLElement[] {
  const { h } = ctx;
  return Array.from({ length: rows.length }, (_, row) => {
    const { severity, number, finding, details } = readCard(rows, row);
    const evidence = readEvidence(rows.text("evidence", row));
    return h(
      "div",
      { class: "nbp-card", style: `--severity:var(--sev-${severity})` },
      h(
        "div",
        {},
        h("span", { class: "nbp-label" }, SEVERITIES[severity]),
        h("span", { class: "nbp-number" }, number),
      ),
      h(
        "div",
        {},
        h("p", { class: "nbp-strong" }, finding),
        details.length ? h("p", {}, details.join(" ")) : null,
        h("p", { class: "nbp-muted" }, ...withCode(h, rows.text("advice", row))),
        evidence ? evidenceLink(ctx, evidence, reveal) : null,
      ),
    );
  });
}

function readCard(rows: Rows, row: number) {
  const severity = rows.text("severity", row);
  const [number, message] = splitNumber(rows.text("message", row));
  const [finding = "", ...details] = message.split(/(?<=\.) (?=[A-Z])/);
  return { severity: severity in SEVERITIES ? severity : "low", number, finding, details };
}

/** Take the first percentage out of a message that starts with it. */
export function splitNumber(message: string): [number: string, rest: string] {
  const start = /^([\d.,]+)\s?(%|ms|µs|s\b)\s*/.exec(message);
  if (start) return [`${start[1]} ${start[2]}`, message.slice(start[0].length)];
  const inside = /([\d.,]*\d)\s?%/.exec(message);
  return [inside ? `${inside[1]} %` : "", message];
}

export function readEvidence(text: string): Evidence | null {
  try {
    const parsed: unknown = JSON.parse(text);
    const evidence = parsed as Evidence | null;
    return evidence && typeof evidence.table === "string" ? evidence : null;
  } catch {
    return null;
  }
}

function evidenceLink(ctx: Context, evidence: Evidence, reveal: (table: string) => void) {
  const { h, session } = ctx;
  const own = OWN[evidence.table];
  const view = own
    ? session.view
    : session.views.find(({ finds }) => finds?.includes(evidence.table));
  if (!view) return null;
  const words = own ?? `Show it in ${view.title}`;
  const name = typeof evidence.row?.name === "string" ? evidence.row.name : "";
  const short = middleCut(displayName(name), (text) => text.length <= 28);
  const step = evidence.row?.step;
  const ofStep = typeof step !== "number" ? words : `Show step ${step} alone`;
  const label = name ? words.replace("it", short) : ofStep;
  return link(h, label, () => {
    const filter = evidence.filter ?? session.get("filter") ?? {};
    if (own) {
      session.set({
        filter: typeof step === "number" ? { ...filter, steps: [step, step] } : filter,
      });
      reveal(evidence.table);
      return;
    }
    session.set({
      filter,
      active: view.name,
      group_by: evidence.group_by ?? view.group_by,
      selection: evidence.row ? [evidence.row] : [],
    });
  });
}
