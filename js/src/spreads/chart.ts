/** Draws how the values of a column are spread, as bars over which a pointer brushes. */

import { type Make, setAttributes } from "../core/dom";
import type { Spread } from "../core/protocol/protocol";
import { unitFamily } from "../table/columns";
import type { ColumnSpec } from "../table/columnspec";
import { hasUnit, unitLabel } from "../table/grid/cells";
import { formatNumber, plural, type TimeUnit } from "../values/format";
import { type Bins, type Conditions, keptBins } from "./brushing";

interface Charted {
  spec: ColumnSpec;
  spread: Spread;
  units: ReadonlyMap<string, TimeUnit>;
  conditions: Conditions;
  /** Keep the rows of some bins; null keeps all. */
  brush(bins: Bins | null): void;
}

/** Height of the lowest bar, %: what is there at all is seen. */
const LEAST = 14;

export function chart(h: Make, charted: Charted): HTMLElement {
  const { spec, spread, conditions, brush } = charted;
  const kept = keptBins(spec.key, spread, conditions);
  const most = Math.max(...spread.counts);
  const bars = spread.counts.map((count, at) =>
    h("i", {
      style: `--part:${count && Math.max(LEAST, (100 * count) / most)}%`,
      "data-on": kept?.[at],
      "data-tip": `${spec.label} ${rangeOf(charted, at)}: ${plural(count, "row")}. ${
        kept ? "Click to show all." : "Drag to show some."
      }`,
    }),
  );
  const box = h("div", { class: "nbp-spread", "data-kept": kept !== null }, bars);
  const binAt = ({ clientX }: PointerEvent) => {
    const { left, width } = box.getBoundingClientRect();
    const at = Math.floor(((clientX - left) / (width || 1)) * bars.length);
    return Math.min(bars.length - 1, Math.max(0, at));
  };
  let from = -1;
  const mark = (event: PointerEvent): Bins => {
    const to = binAt(event);
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    setAttributes(box, { "data-kept": true });
    for (const [at, bar] of bars.entries())
      setAttributes(bar, { "data-on": at >= first && at <= last });
    return [first, last];
  };
  return h.on(box, {
    pointerdown: (event) => {
      if (event.button) return;
      from = binAt(event);
      box.setPointerCapture(event.pointerId);
      mark(event);
    },
    pointermove: (event) => from >= 0 && mark(event),
    pointerup: (event) => {
      if (from < 0) return;
      const bins = mark(event);
      from = -1;
      brush(kept && bins[0] === bins[1] ? null : bins);
    },
    pointercancel: () => {
      from = -1;
    },
  });
}

/** The values of a bin in the unit of the column, as precise as its width. */
function rangeOf({ spec, spread: { edges, single }, units }: Charted, at: number): string {
  const [low = 0, high = 0] = edges.slice(at);
  const { divisor = 1 } = (hasUnit(spec) && units.get(unitFamily(spec))) || {};
  const text = (edge: number) =>
    formatNumber(edge / divisor, decimalsOf(single ? 10 : (high - low) / divisor));
  const unit = unitLabel(spec, units);
  return `${text(low)}${single ? "" : ` to ${text(high)}`}${unit && ` ${unit}`}`;
}

/** Decimals that show a tenth of a width. */
function decimalsOf(width: number): number {
  return Math.min(9, Math.max(0, Math.ceil(1 - Math.log10(width))));
}
