/** Shows how each device spent its time, and its properties. */

import type { Context } from "../../core/context";
import type { Rows } from "../../values/arrow";
import { deviceName } from "../../values/devicenames";
import { chooseTimeUnit, formatNumber, formatTime } from "../../values/format";

const PARTS: [column: string, words: string, fill: string | null][] = [
  ["computation_us", "Computation", "var(--c-kernel)"],
  ["exposed_communication_us", "Exposed communication", "var(--c-communication)"],
  ["exposed_memcpy_us", "Exposed copies", "var(--c-memcpy)"],
  ["idle_us", "Idle", null],
];

/** Create a bar and a small table for each device. */
export function deviceTime(ctx: Context, rows: Rows): HTMLElement[] {
  const { h, session } = ctx;
  return Array.from({ length: rows.length }, (_, row) => {
    const total = rows.number("total_us", row) ?? 0;
    const unit = chooseTimeUnit([total], session.get("time_unit") ?? "auto");
    const parts = PARTS.map(([column, words, fill]) => {
      const time = rows.number(column, row);
      const share = time === null || total === 0 ? null : (100 * time) / total;
      return { column, words, fill, time, share };
    }).filter((p) => p.time !== 0); // categories without time are left out
    const name = deviceName(rows, row);
    const said = parts.map(
      (p) => `${p.words} ${p.share === null ? "unknown" : formatNumber(p.share, 1)} %`,
    );
    const hatch = (fill: string | null) => (fill ? "" : " nbp-hatch");
    const style = (fill: string | null) => (fill ? `--fill:${fill}` : "");
    return h(
      "div",
      { class: "nbp-devicetime" },
      rows.length > 1
        ? h(
            "div",
            { class: "nbp-label" },
            `${name}, ${formatTime(total, unit)} ${unit.label} from first to last work`,
          )
        : null,
      h(
        "div",
        { class: "nbp-split", role: "img", "aria-label": `${name}: ${said.join(", ")}` },
        parts
          .filter((p) => p.time)
          .map((p) =>
            h("i", { class: hatch(p.fill).trim(), style: `--part:${p.share};${style(p.fill)}` }),
          ),
      ),
      h(
        "table",
        { "aria-label": `Device time of ${name}` },
        h(
          "colgroup",
          {},
          h("col"),
          h("col", { style: "width:84px" }),
          h("col", { style: "width:64px" }),
        ),
        h(
          "tbody",
          {},
          parts.map((p) =>
            h(
              "tr",
              {},
              h(
                "td",
                { "data-tip": rows.column(p.column)?.meaning },
                h("span", { class: `nbp-swatch${hatch(p.fill)}`, style: style(p.fill) }),
                p.words,
              ),
              h("td", { class: "nbp-num" }, `${formatTime(p.time, unit)} ${unit.label}`),
              h(
                "td",
                { class: "nbp-num" },
                p.share === null ? "–" : `${formatNumber(p.share, 1)} %`,
              ),
            ),
          ),
        ),
      ),
    );
  });
}
