/** Creates the header of a grid: column families in two rows, units, sorting, tooltips. */

import type { Make } from "../../core/dom";
import type { TimeUnit } from "../../values/format";
import type { ColumnSpec } from "../columnspec";
import { hasUnit, isRight, unitLabel } from "./cells";

export interface Head {
  specs: readonly ColumnSpec[];
  units: ReadonlyMap<string, TimeUnit>;
  sort: readonly [string, string] | null;
  /** Width of the first column, CSS px; it takes the room that is left, unless it is fixed. */
  nameWidth: number;
  fixed?: boolean;
  /** Whether columns can be resized. */
  resizable?: boolean;
}

export function columnElements(h: Make, { specs, nameWidth, fixed }: Head): HTMLElement[] {
  return specs.map((spec, index) => {
    const column = h("col");
    if (index > 0 || fixed) column.style.width = `${index > 0 ? spec.width : nameWidth}px`;
    else column.style.minWidth = `${nameWidth}px`;
    return column;
  });
}

/** The header rows: one, or two where columns form families. */
export function headRows(h: Make, head: Head, sortBy: (key: string) => void): HTMLElement[] {
  const { specs, units } = head;
  const top: HTMLElement[] = [];
  const below: HTMLElement[] = [];
  const rowspan = specs.some((spec) => spec.group) ? 2 : 1;
  specs.forEach((spec, index) => {
    const { group } = spec;
    const unit = unitLabel(spec, units);
    if (!group) {
      top.push(headCell(h, spec, unit, head, sortBy, { rowspan, "data-at": index }));
      return;
    }
    const first = specs[index - 1]?.group !== group;
    if (first) {
      const end = specs.findIndex((other, at) => at > index && other.group !== group);
      const colspan = (end < 0 ? specs.length : end) - index;
      const shared = hasUnit(spec) && unit ? [" ", h("em", {}, unit)] : null;
      top.push(h("th", { scope: "colgroup", colspan }, group, shared));
    }
    const own = hasUnit(spec) ? "" : unit;
    below.push(headCell(h, spec, own, head, sortBy, { "data-first": first, "data-at": index }));
  });
  return [top, below]
    .slice(0, rowspan)
    .map((cells, at) => h("tr", { "aria-rowindex": at + 1 }, cells));
}

function headCell(
  h: Make,
  spec: ColumnSpec,
  unit: string,
  { sort, resizable }: Head,
  sortBy: (key: string) => void,
  extra: Record<string, string | number | boolean>,
): HTMLElement {
  const direction = sort?.[0] === spec.key ? sort[1] : null;
  const sorted = direction === "asc" ? "ascending" : direction ? "descending" : "none";
  const words = [spec.label, unit ? [" ", h("em", {}, unit)] : null];
  const button = h.on(h("button", { type: "button" }, words), { click: () => sortBy(spec.key) });
  return h(
    "th",
    {
      scope: "col",
      class: isRight(spec) && spec.bar !== "beside" ? "nbp-num" : null,
      "aria-sort": sorted,
      "data-key": spec.key,
      "data-tip": spec.meaning,
      "aria-description": spec.meaning,
      ...extra,
    },
    button,
    resizable ? h("span", { class: "nbp-grip", "aria-hidden": "true" }) : null,
  );
}
