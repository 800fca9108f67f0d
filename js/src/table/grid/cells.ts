/** Creates the value cells of a grid: text, bars, and the reason for a missing value. */

import { type Child, type Make, setAttributes } from "../../core/dom";
import type { Rows, Value } from "../../values/arrow";
import {
  chooseByteUnit,
  chooseTimeUnit,
  DASH,
  formatNumber,
  formatPercent,
  type TimeUnit,
  tableUnit,
  type UnitChoice,
  withSign,
} from "../../values/format";
import { unitFamily } from "../columns";
import type { ColumnSpec } from "../columnspec";

/** Padding of a cell, and the text beside a bar, CSS px. */
const PADDING = 16;
const SHARE = 40;
/** Width of the widest digits; a text that could be wider than its cell is clipped. */
const WIDEST = 8;

const NOT_THERE = "Not in this trace.";

const RIGHT = new Set<ColumnSpec["kind"]>(["count", "time", "percent", "bytes", "number"]);

export function isRight(spec: ColumnSpec): boolean {
  return RIGHT.has(spec.kind);
}

/**
 * Choose one unit of time for all columns, and one of size for each family of columns, from the first
 * visible rows. Columns of short times have more decimals.
 */
export function familyUnits(
  specs: readonly ColumnSpec[],
  rows: Rows,
  seen: number,
  choice: UnitChoice,
): Map<string, TimeUnit> {
  const units = new Map<string, TimeUnit>();
  const valuesOf = (members: readonly ColumnSpec[]) =>
    members.flatMap(({ key }) =>
      Array.from({ length: Math.min(seen, rows.length) }, (_, row) => rows.number(key, row)),
    );
  const isTime = ({ kind }: ColumnSpec) => kind === "time";
  const shared = tableUnit(valuesOf(specs.filter(isTime)), choice);
  for (const spec of specs.filter(hasUnit)) {
    const family = unitFamily(spec);
    if (units.has(family)) continue;
    const values = valuesOf(specs.filter((one) => unitFamily(one) === family && hasUnit(one)));
    units.set(family, isTime(spec) ? chooseTimeUnit(values, shared) : chooseByteUnit(values));
  }
  return units;
}

/** Whether the header of the column or family shows a unit that depends on the values. */
export function hasUnit({ kind }: ColumnSpec): boolean {
  return kind === "time" || kind === "bytes";
}

/** The unit in a column's header. */
export function unitLabel(spec: ColumnSpec, units: ReadonlyMap<string, TimeUnit>): string {
  if (hasUnit(spec)) return units.get(unitFamily(spec))?.label ?? "";
  return spec.kind === "percent" ? "%" : "";
}

export function cellText(
  spec: ColumnSpec,
  value: Value,
  units: ReadonlyMap<string, TimeUnit>,
): string {
  if (value === null) return DASH;
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "string") return value;
  const text = numberText(spec, value, units);
  return spec.signed && value > 0 ? withSign("+", text) : text;
}

function numberText(spec: ColumnSpec, value: number, units: ReadonlyMap<string, TimeUnit>): string {
  if (hasUnit(spec)) {
    const { divisor, decimals } = units.get(unitFamily(spec)) ?? MS;
    return formatNumber(value / divisor, spec.decimals ?? decimals);
  }
  if (spec.kind === "percent") return formatPercent(value);
  return formatNumber(value, spec.decimals ?? (spec.kind === "number" ? 1 : 0));
}

const MS: TimeUnit = { label: "ms", divisor: 1e3, decimals: 1 };

interface CellOptions {
  units: ReadonlyMap<string, TimeUnit>;
  /** Largest value of the column, to which bars are scaled. */
  maximum?: number | null | undefined;
  /** Why the value is null. */
  note?: string | undefined;
  /** Shortens a text that is too wide for the column. */
  shorten?: ((text: string) => string) | undefined;
}

/** Create a cell of a column other than the name. */
export function valueCell(
  h: Make,
  spec: ColumnSpec,
  value: Value,
  { units, maximum, note, shorten }: CellOptions,
): HTMLTableCellElement {
  const whole = cellText(spec, value, units);
  const text = spec.kind === "text" && shorten ? shorten(whole) : whole;
  const cell = h("td", { class: isRight(spec) ? "nbp-num" : null, "data-key": spec.key });
  const room = spec.bar === "beside" ? SHARE : spec.width - PADDING;
  if (text.length * WIDEST > room) cell.classList.add("nbp-clip");
  const fill: Child[] = [];
  const part = typeof value === "number" && maximum ? Math.min(1, value / maximum) : null;
  if (spec.bar === "beside") {
    const bar = h("i", { class: "nbp-bar-fill", style: `width:${(part ?? 0) * 100}%` });
    if (part) bar.style.minWidth = "1px";
    fill.push(
      h(
        "span",
        { class: "nbp-share", style: `--fill:${spec.fill}` },
        h("span", {}, bar),
        h("span", { class: "nbp-num" }, text),
      ),
    );
  } else {
    if (spec.bar === "under" && part) {
      cell.classList.add("nbp-underbar");
      cell.style.setProperty("--fill", spec.fill ?? "");
      const bar = h("i", { class: "nbp-bar-fill" });
      bar.style.width = `calc(${part.toFixed(4)} * (100% - 16px))`;
      fill.push(bar);
    }
    fill.push(text);
  }
  if (value === null) {
    setAttributes(cell, { "data-tip": note ?? NOT_THERE });
    cell.classList.add("nbp-muted");
  } else if (spec.kind === "text" && whole.length > 12) setAttributes(cell, { "data-tip": whole });
  cell.append(
    ...fill.map((item) => (item instanceof Node ? item : document.createTextNode(String(item)))),
  );
  return cell;
}
