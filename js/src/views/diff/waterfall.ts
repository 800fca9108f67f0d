/** The waterfall: the largest changes that lead from the baseline's step time to the candidate's. */
import { categoryColor } from "../../chart/categorycolor";
import type { Context } from "../../core/context";
import type { Diff, DiffBar } from "../../core/protocol/protocol";
import { chooseTimeUnit, formatNumber, formatTime, type TimeUnit } from "../../values/format";
import { displayName, exactPattern } from "../../values/names";
import { signedPercent, signedTime, verdict } from "./numbers";

/** The scale starts above 0 where the changes would fill less than this part of it. */
const LEAST_PART = 0.4;
const MARGIN = 0.15;
/** From this percentage on, a factor says more. */
const MANY = 1000;

interface Scale {
  from: number;
  to: number;
}

export function waterfall(ctx: Context, { bars = [], per_step }: Diff): HTMLElement {
  const { h, session } = ctx;
  const scale = scaleOf(bars);
  const unit = chooseTimeUnit(
    bars.flatMap(({ kind, to_us }) => (kind === "baseline" || kind === "candidate" ? [to_us] : [])),
    session.get("time_unit") ?? "auto",
  );
  const title = per_step ? "Largest changes of the step" : "Largest changes of the recording";
  const cut = scale.from > 0;
  return h(
    "section",
    { class: "nbp-falls" },
    h(
      "div",
      { class: "nbp-head" },
      h("h3", {}, title, h("small", {}, "click one to filter both sides")),
    ),
    h(
      "ol",
      { class: "nbp-waterfall" },
      bars.map((bar, at) => row(ctx, bar, bars[at + 1], scale, unit)),
    ),
    h(
      "div",
      { class: "nbp-fall nbp-fallaxis nbp-label", "aria-hidden": "true" },
      h("span"),
      h(
        "span",
        { class: "nbp-falltrack" },
        h("b", {}, `${cut ? "from " : ""}${formatTime(scale.from, unit)}`),
        h("b", {}, `${formatTime(scale.to, unit)} ${unit.label}`),
      ),
      h("span", { class: "nbp-num" }, unit.label),
      h("span", { class: "nbp-num" }, "%"),
    ),
  );
}

function row(
  ctx: Context,
  bar: DiffBar,
  next: DiffBar | undefined,
  scale: Scale,
  unit: TimeUnit,
): HTMLElement {
  const { h, session } = ctx;
  const isStep = bar.kind === "baseline" || bar.kind === "candidate";
  const name = nameOf(bar);
  const low = isStep ? scale.from : Math.min(bar.from_us, bar.to_us);
  const high = Math.max(bar.from_us, bar.to_us);
  const at = (value: number) => place(value, scale);
  const value = isStep ? formatTime(bar.to_us, unit) : signedTime(bar.delta_us ?? 0, unit);
  const percent = isStep || bar.kind === "rest" ? "" : percentOf(bar);
  const content = [
    h(
      "span",
      {
        class: "nbp-fallname",
        "data-tip": tipOf(bar, name),
      },
      bar.category &&
        h("span", { class: "nbp-swatch", style: `--fill:${categoryColor(bar.category)}` }),
      name,
    ),
    h(
      "span",
      { class: "nbp-falltrack" },
      h("i", { style: `left:${at(low)}%;width:${Math.max(at(high) - at(low), 0)}%` }),
      next && h("s", { style: `left:${at(bar.to_us)}%` }),
    ),
    h("span", { class: "nbp-num nbp-change" }, value),
    h("span", { class: "nbp-num nbp-change" }, percent),
  ];
  const look = { class: "nbp-fall", "data-kind": bar.kind, "data-change": bar.change };
  const field = bar.field ?? "";
  if (!isFilter(bar)) return h("li", {}, h("div", look, content));
  const pressed = session.get("filter")?.[field as "name"] === patternOf(bar);
  const button = h("button", {
    ...look,
    type: "button",
    "aria-pressed": String(pressed),
    "data-needs": `filter:${field}`,
  });
  button.append(...content);
  h.on(button, {
    click: () => {
      session.setFilter({ [field]: pressed ? null : patternOf(bar) });
      ctx.announce(pressed ? "The filter is cleared" : `Both sides are filtered to ${name}`);
    },
  });
  return h("li", {}, button);
}

/** The full name, the category, and what the change means. */
function tipOf(bar: DiffBar, shown: string): string {
  const { kind, name, category, change, noise_pct } = bar;
  const said = kind === "change" && change ? verdict(change, noise_pct !== null) : "";
  const act = isFilter(bar)
    ? "Click to filter both sides to it"
    : kind === "change" && "No filter keeps it alone";
  const words = [category, said].filter(Boolean).join(", ");
  return [name || shown, words, act].filter(Boolean).join("\n");
}

/** Whether a click filters both sides to what the bar stands for. */
function isFilter({ kind, field, value }: DiffBar): boolean {
  return kind === "change" && Boolean(field && value);
}

function patternOf({ field, value }: DiffBar): string {
  return field === "name" ? exactPattern([value ?? ""]) : (value ?? "");
}

function nameOf({ kind, name, category }: DiffBar): string {
  if (kind === "baseline") return "Baseline";
  if (kind === "candidate") return "Candidate";
  if (kind === "rest") return "All other changes";
  return name ? displayName(name) : `${category ?? "Other"} time`;
}

function percentOf({ change, delta_pct }: DiffBar): string {
  if (change === "added" || change === "removed") return change;
  if (delta_pct !== null && delta_pct >= MANY) return `× ${formatNumber(1 + delta_pct / 100)}`;
  return signedPercent(delta_pct);
}

/** From 0, or closer to the changes where they are small beside the steps. */
export function scaleOf(bars: readonly Pick<DiffBar, "from_us" | "to_us" | "kind">[]): Scale {
  const ends = bars.flatMap(({ kind, from_us, to_us }) =>
    kind === "baseline" || kind === "candidate" ? [to_us] : [from_us, to_us],
  );
  if (!ends.length) return { from: 0, to: 1 };
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const span = high - low;
  if (span <= 0 || span >= LEAST_PART * high) return { from: Math.min(0, low), to: high || 1 };
  return { from: Math.max(0, low - MARGIN * span), to: high };
}

function place(value: number, { from, to }: Scale): number {
  return Math.min(100, Math.max(0, (100 * (value - from)) / (to - from || 1)));
}
