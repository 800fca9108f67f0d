/** A static table of a few rows, without paging or sorting. */
import { markSteps, stepLink } from "../chart/steplinks";
import type { Context } from "../core/context";
import { link } from "../parts/states";
import type { Rows } from "../values/arrow";
import { columnSpecs } from "./columns";
import { cellText, familyUnits, isRight, unitLabel } from "./grid/cells";
import { hasKernels, showKernels } from "./links/kernels";
import { hasTimeline, showRange } from "./links/slices";

/**
 * Create a table of a handful of rows.
 *
 * @param picks - action of a click in a row: select steps, show the kernels within a name, or show
 *   its time in the timeline
 */
export function plainTable(
  ctx: Context,
  table: string,
  rows: Rows,
  label: string,
  picks = "",
): HTMLElement {
  const { h, session } = ctx;
  const all = Array.from({ length: rows.length }, (_, row) => row);
  const columns = rows.columns.filter(
    ({ at }) => !rows.length || all.some((row) => at(row) !== null),
  );
  const specs = columnSpecs(table, columns).map((spec) => {
    const [, side] = /^(host|device|start)?.*_us$/.exec(spec.key) ?? [];
    return { ...spec, group: side ?? "time" }; // one unit for each side; a start may be far greater than what lasts
  });
  const units = familyUnits(specs, rows, rows.length, session.get("time_unit") ?? "auto");
  const head = specs.map((spec) => {
    const unit = unitLabel(spec, units);
    const attributes = {
      scope: "col",
      class: isRight(spec) ? "nbp-num" : null,
      "data-tip": spec.meaning,
    };
    return h("th", attributes, spec.label, unit ? [" ", h("em", {}, unit)] : null);
  });
  const lines = all.map((row) =>
    h(
      "tr",
      {},
      specs.map((spec) =>
        h(
          "td",
          { class: isRight(spec) ? "nbp-num" : null },
          picks === "steps" && spec.key === "step"
            ? stepLink(ctx, rows.number("step", row))
            : picks === "within" && spec.key === "name" && hasKernels(session)
              ? kernelsLink(ctx, rows.text("name", row))
              : picks === "range" && spec.key === "start_us" && hasTimeline(session)
                ? rangeLink(ctx, cellText(spec, rows.get(spec.key, row), units), rows, row)
                : cellText(spec, rows.get(spec.key, row), units),
        ),
      ),
    ),
  );
  const frame = h(
    "div",
    { class: "nbp-frame", tabindex: 0, role: "region", "aria-label": label },
    h(
      "table",
      { "aria-label": label, class: "nbp-fluid" },
      h("thead", {}, h("tr", {}, head)),
      h("tbody", {}, lines),
    ),
  );
  if (picks === "steps") markSteps(ctx, frame);
  return frame;
}

function kernelsLink({ h, session }: Context, name: string): HTMLElement {
  const button = link(h, name, () => showKernels(session, name));
  button.dataset.needs = "filter:within";
  button.dataset.tip = "Show its kernels";
  return button;
}

function rangeLink(ctx: Context, text: string, rows: Rows, row: number): HTMLElement {
  const [start, length] = ["start_us", "duration_us"].map((key) => rows.number(key, row) ?? 0) as [
    number,
    number,
  ];
  const end = start + length;
  const show = () => showRange(ctx, [start - length / 2, end + length / 2], [start, end]);
  const button = link(ctx.h, text, show);
  button.dataset.tip = "Show it in the timeline";
  return button;
}
