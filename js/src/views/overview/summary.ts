/** The execution summary: the mean of each category over the complete steps. */

import { categoryColor } from "../../chart/categorycolor";
import type { Context } from "../../core/context";
import type { Session } from "../../core/state/session";
import type { Rows } from "../../values/arrow";
import { chooseTimeUnit, formatDuration, formatPercent, formatTime } from "../../values/format";

/** The label of the whole recording, if no steps are recorded. */
const WHOLE = "Whole recording";
const RANGE = "Range of time";
/** The label of the only step, for which there is no mean. */
export const ONLY = "Step";

/** The label of what counts as one step where no steps are recorded. */
export function unmarked(session: Session): string {
  return session.get("filter")?.time_us ? RANGE : WHOLE;
}

/** What that step covers: operators may begin later, and end earlier, than the device's work. */
export function coverage(session: Session, step: number | null, recording: number): string {
  const all = unmarked(session);
  if (all !== WHOLE || step === null || step > 0.99 * recording) return all;
  return `first to last operator, of ${formatDuration(recording)} recorded`;
}

/** @param other - what the rest of a step is called */
export function summaryTable(
  { h, session }: Context,
  overview: Rows,
  title: string,
  other: string,
): HTMLElement {
  const rows = Array.from({ length: overview.length }, (_, row) => row);
  const whole = title === WHOLE || title === RANGE;
  const mean = !whole && title !== ONLY;
  const times = rows.map((row) => overview.number("avg_us", row));
  const unit = chooseTimeUnit([times[0] ?? null], session.get("time_unit") ?? "auto");
  const meaning = (name: string) => overview.column(name)?.meaning;
  const lines = rows.flatMap((row) => {
    const category = overview.text("category", row);
    const time = overview.number("avg_us", row);
    const share = overview.number("pct", row);
    if (row > 0 && !time) return []; // categories without time are left out
    const fill = row === 0 ? "transparent" : categoryColor(category);
    const bar = h("i", { class: "nbp-bar-fill" });
    bar.style.width = `max(1px, ${share ?? 0}%)`;
    return h(
      "tr",
      { class: row === 0 ? "nbp-total" : null },
      h(
        "td",
        {},
        row === 0 ? null : h("span", { class: "nbp-swatch", style: `--fill:${fill}` }),
        row === 0 ? title : category === "Other" ? other : category,
      ),
      h("td", { class: "nbp-num" }, formatTime(time, unit)),
      h(
        "td",
        {},
        h(
          "span",
          { class: "nbp-share", style: `--fill:${fill}` },
          h("span", {}, row === 0 ? null : bar),
          h("span", { class: "nbp-num" }, formatPercent(row === 0 && share === null ? 100 : share)),
        ),
      ),
    );
  });
  return h(
    "div",
    { class: "nbp-frame" },
    h(
      "table",
      { "aria-label": "Execution summary" },
      h(
        "colgroup",
        {},
        h("col", { style: "width:132px" }),
        h("col", { style: "width:76px" }),
        h("col"),
      ),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col", "data-tip": meaning("category") }, "Category"),
          h(
            "th",
            { scope: "col", class: "nbp-num", "data-tip": meaning("avg_us") },
            mean ? "Mean " : "Time ",
            h("em", {}, unit.label),
          ),
          h(
            "th",
            { scope: "col", "data-tip": meaning("pct") },
            whole ? "Share of recording " : "Share of step ",
            h("em", {}, "%"),
          ),
        ),
      ),
      h("tbody", {}, lines),
    ),
  );
}
