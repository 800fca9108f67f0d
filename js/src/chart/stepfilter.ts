/** Filters to the steps that are clicked or brushed in a chart, or clicked in a table. */

import type { Context } from "../core/context";
import type { Child } from "../core/dom";
import { DASH } from "../values/format";
import { type Source, sourceColumn } from "./bokeh";

const BRUSH_DELAY = 60;

/** Filter to the steps of the bars that are clicked or brushed. */
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

/** A link that filters to a step; works with the keyboard, too. */
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
