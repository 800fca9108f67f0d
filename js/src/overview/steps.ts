/** The steps as a chart and, for who prefers it, as a table; either narrows everything to steps. */
import type { Rows } from "../arrow";
import { type Source, sourceColumn } from "../bokeh";
import type { Context } from "../context";
import type { Child } from "../dom";
import { chooseTimeUnit, DASH, formatTime } from "../format";
import { categoryColor } from "./summary";

const BRUSH_DELAY = 60;

/** Follow the bars that are clicked or brushed. */
export function followBars(ctx: Context, source: Source): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  source.selected.properties.indices.change.connect(() => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const steps = sourceColumn(source, "step");
      const chosen = source.selected.indices.map((index) => Number(steps[index]));
      if (chosen.length && chosen.every(Number.isFinite)) {
        filterToSteps(ctx, Math.min(...chosen), Math.max(...chosen));
      }
    }, BRUSH_DELAY);
  });
}

function filterToSteps(ctx: Context, first: number, last: number): void {
  ctx.session.setFilter({ steps: [first, last] });
  ctx.announce(
    first === last ? `Filtered to step ${first}` : `Filtered to steps ${first} to ${last}`,
  );
}

/** A step that can be chosen with the keyboard too. */
export function stepLink(ctx: Context, step: number | null): Child {
  if (step === null) return DASH;
  const { h } = ctx;
  const go = h(
    "button",
    { class: "nbp-link", type: "button", "aria-label": `Filter to step ${step}` },
    String(step),
  );
  return h.on(go, { click: () => filterToSteps(ctx, step, step) });
}

const CATEGORIES: [column: string, words: string][] = [
  ["kernel_us", "Kernel"],
  ["memcpy_us", "Memcpy"],
  ["memset_us", "Memset"],
  ["communication_us", "Communication"],
  ["runtime_us", "Runtime"],
  ["dataloader_us", "DataLoader"],
  ["cpu_exec_us", "CPU Exec"],
  ["other_us", "Other"],
];

/** The steps as rows with a button each, which does what a click on the bar does. */
export function stepsTable(ctx: Context, steps: Rows): HTMLElement {
  const { h, session } = ctx;
  const rows = Array.from({ length: steps.length }, (_, row) => row);
  const shown = CATEGORIES.filter(([column]) => rows.some((row) => steps.number(column, row)));
  const unit = chooseTimeUnit(
    rows.map((row) => steps.number("total_us", row)),
    session.get("time_unit") ?? "auto",
  );
  const column = (name: string) => steps.column(name)?.meaning;
  const head = [
    h("th", { scope: "col", "data-tip": column("step") }, "Step"),
    h(
      "th",
      { scope: "col", class: "nbp-num", "data-tip": column("total_us") },
      "Total ",
      h("em", {}, unit.label),
    ),
    ...shown.map(([name, words]) =>
      h("th", { scope: "col", class: "nbp-num", "data-tip": column(name) }, words),
    ),
  ];
  const lines = rows.map((row) => {
    const step = steps.number("step", row) ?? 0;
    const go = stepLink(ctx, step);
    const partly =
      steps.get("complete", row) === false ? h("span", { class: "nbp-muted" }, " in part") : null;
    return h(
      "tr",
      {},
      h("td", {}, go, partly),
      h("td", { class: "nbp-num" }, formatTime(steps.number("total_us", row), unit)),
      shown.map(([name]) =>
        h("td", { class: "nbp-num" }, formatTime(steps.number(name, row), unit)),
      ),
    );
  });
  const width = 88 + 80 + shown.length * 92;
  return h(
    "div",
    {
      class: "nbp-frame",
      tabindex: 0,
      role: "region",
      "aria-label": "Steps",
      style: "max-height:320px",
    },
    h(
      "table",
      { "aria-label": "Step time breakdown", style: `min-width:${width}px` },
      h("thead", {}, h("tr", {}, head)),
      h("tbody", {}, lines),
    ),
  );
}

/** The categories with their colours, where the chart has no room for labels. */
export function stepsLegend({ h }: Context, steps: Rows): HTMLElement {
  const rows = Array.from({ length: steps.length }, (_, row) => row);
  const shown = CATEGORIES.filter(([column]) => rows.some((row) => steps.number(column, row)));
  return h(
    "div",
    { class: "nbp-foot" },
    shown.map(([, words]) =>
      h(
        "span",
        {},
        h("span", { class: "nbp-swatch", style: `--fill:${categoryColor(words)}` }),
        words,
      ),
    ),
  );
}
