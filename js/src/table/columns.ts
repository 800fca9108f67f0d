/** Decides how table columns are displayed: label, kind, width, family and bar of each. */
import type { Column } from "../values/arrow";
import type { UnitChoice } from "../values/format";
import { FIRST, HOST, LOOKS, ORDER } from "./columnlooks";
import type { ColumnSpec, Kind } from "./columnspec";

const OWN = /^As the recorder/;

const WIDTHS: Record<Kind, number> = {
  name: 240,
  text: 160,
  count: 72,
  time: 80,
  percent: 84,
  bytes: 88,
  number: 80,
  flag: 64,
};

/** The width of a time of some seconds in nanoseconds, CSS px. */
const NANOSECONDS = 104;

const COUNTS =
  /^(calls|registers|step|device|stream|task|model|count|occurrences|operators|depth|blocks)$|_(count|calls|dim)$/;

const TEXT_COLUMNS = new Set([
  "input_shapes",
  "call_stack",
  "operator",
  "launched_by",
  "grid",
  "block",
]);

export function columnSpecs(table: string, columns: readonly Column[]): ColumnSpec[] {
  const looks = LOOKS[table] ?? {};
  const first = columns.filter((column) => column.name === FIRST[table]);
  const rest = columns.filter((column) => !first.includes(column));
  const specs = [...first, ...rest].map((column, index): ColumnSpec => {
    const kind = kindOf(column, index);
    return {
      key: column.name,
      // A column named by the recorder keeps its name.
      label: OWN.test(column.meaning) ? column.name : wordsOf(column.name),
      kind,
      unit: column.unit,
      meaning: column.meaning,
      width: WIDTHS[kind],
      ...(OWN.test(column.meaning) && {
        width: 112,
        decimals: /cycles|ID$/.test(column.name) ? 0 : 3,
      }),
      ...(column.term && { group: column.term }),
      ...looks[column.name],
      // A share is of device time where there is a device.
      ...(column.meaning.startsWith("Host time") && { fill: HOST }),
    };
  });
  const order = ORDER[table];
  if (!order) return specs;
  const moved = order.flatMap((key) => specs.find((spec) => spec.key === key) ?? []);
  const others = specs.filter((spec) => !order.includes(spec.key));
  const at = others.findIndex((spec) => !["name", "text"].includes(spec.kind) && !isKey(spec));
  return at < 0 ? [...others, ...moved] : [...others.slice(0, at), ...moved, ...others.slice(at)];
}

/** Columns with room for the digits of nanoseconds, if times are in them. */
export function withRoom(specs: ColumnSpec[], choice: UnitChoice): ColumnSpec[] {
  if (choice !== "ns") return specs;
  return specs.map((spec) =>
    spec.kind === "time" ? { ...spec, width: Math.max(spec.width, NANOSECONDS) } : spec,
  );
}

function isKey(spec: ColumnSpec): boolean {
  return ["registers", "shared_memory_bytes", "device", "step", "stream"].includes(spec.key);
}

function kindOf(column: Column, index: number): Kind {
  const { name, unit } = column;
  if (unit === "us" || name.endsWith("_us")) return "time";
  if (unit === "%" || name.endsWith("_pct") || name === "pct") return "percent";
  if (unit === "bytes" || name.endsWith("_bytes")) return "bytes";
  if (index > 0 && TEXT_COLUMNS.has(name)) return "text";
  if (/_(eligible|used)$|^complete$/.test(name)) return "flag";
  if (index === 0) return name === "step" ? "count" : "name";
  if (COUNTS.test(name)) return "count";
  // Includes columns that recorders name.
  if (column.kind === "int") return "count";
  return column.kind === "float" || /per_sm|_gb/.test(name) ? "number" : "text";
}

/** "device_self_us" → "Device self", "mfu_pct" → "MFU" */
function wordsOf(name: string): string {
  const words = name
    .replace(/_(us|pct|bytes|gb|gbps)$/, "")
    .replaceAll("_", " ")
    .replace(/\b([mh]fu|[cgn]pu)\b/g, (word) => word.toUpperCase())
    .replace("flops", "FLOPs");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The key of columns that share a unit: their family, or the column alone. */
export function unitFamily(spec: ColumnSpec): string {
  return spec.group ?? spec.key;
}
