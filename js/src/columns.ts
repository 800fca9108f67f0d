/** How the columns of a table look: their words, widths, families and bars. */
import type { Column } from "./arrow";

export type Kind = "name" | "text" | "count" | "time" | "percent" | "bytes" | "number" | "flag";

export interface ColumnSpec {
  key: string;
  label: string;
  /** Header over neighbouring columns of one family. */
  group?: string;
  kind: Kind;
  unit: string;
  meaning: string;
  /** CSS px; the name column takes what is left, but at least this. */
  width: number;
  /** A bar under the number, or beside it for shares, in this colour. */
  bar?: "under" | "beside";
  fill?: string;
}

type Look = Partial<Pick<ColumnSpec, "label" | "group" | "width" | "bar" | "fill">>;

const KERNEL = "var(--c-kernel)";
const HOST = "var(--c-cpu-exec)";

const LOOKS: Record<string, Record<string, Look>> = {
  operators: {
    name: { label: "Operator" },
    input_shapes: { label: "Input shapes", width: 220 },
    call_stack: { label: "Call stack", width: 320 },
    calls: { width: 64 },
    device_self_us: { label: "Self", group: "Device time", width: 88, bar: "under", fill: KERNEL },
    device_total_us: { label: "Total", group: "Device time", width: 76 },
    host_self_us: { label: "Self", group: "Host time", width: 84, bar: "under", fill: HOST },
    host_total_us: { label: "Total", group: "Host time", width: 76 },
    tensor_core_eligible: { label: "Eligible", group: "Tensor Cores", width: 64 },
    tensor_core_self_pct: { label: "Self", group: "Tensor Cores", width: 68 },
    tensor_core_total_pct: { label: "Total", group: "Tensor Cores", width: 68 },
    ai_core_eligible: { label: "Eligible", group: "AI Core", width: 64 },
    ai_core_self_pct: { label: "Self", group: "AI Core", width: 68 },
    ai_core_total_pct: { label: "Total", group: "AI Core", width: 68 },
  },
  kernels: {
    name: { label: "Kernel" },
    operator: { width: 180 },
    launched_by: { width: 150 },
    grid: { width: 96 },
    block: { width: 88 },
    registers: { width: 76 },
    shared_memory_bytes: { label: "Shared memory", width: 88 },
    tensor_core_used: { label: "Tensor Cores", width: 64 },
    calls: { width: 60 },
    total_us: { label: "Total", width: 72 },
    pct: { label: "Share of filtered", width: 124, bar: "beside", fill: KERNEL },
    mean_us: { label: "Mean", group: "Duration of a call", width: 64 },
    min_us: { label: "Min", group: "Duration of a call", width: 60 },
    max_us: { label: "Max", group: "Duration of a call", width: 64 },
    mean_blocks_per_sm: { label: "Blocks per SM", width: 72 },
    mean_occupancy_pct: { label: "Occupancy", width: 84 },
  },
  steps: {
    step: { width: 72 },
    complete: { width: 76 },
  },
};

/** Columns that stand elsewhere than where the table has them. */
const ORDER: Record<string, string[]> = {
  kernels: ["tensor_core_used", "calls", "total_us", "pct", "mean_us", "min_us", "max_us"],
};

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
  const specs = columns.map((column, index): ColumnSpec => {
    const kind = kindOf(column, index);
    return {
      key: column.name,
      label: wordsOf(column.name),
      kind,
      unit: column.unit,
      meaning: column.meaning,
      width: WIDTHS[kind],
      ...looks[column.name],
    };
  });
  const order = ORDER[table];
  if (!order) return specs;
  const moved = order.flatMap((key) => specs.find((spec) => spec.key === key) ?? []);
  const rest = specs.filter((spec) => !order.includes(spec.key));
  const at = rest.findIndex((spec) => spec.kind !== "name" && spec.kind !== "text" && !isKey(spec));
  return at < 0 ? [...rest, ...moved] : [...rest.slice(0, at), ...moved, ...rest.slice(at)];
}

function isKey(spec: ColumnSpec): boolean {
  return spec.key === "registers" || spec.key === "shared_memory_bytes";
}

function kindOf(column: Column, index: number): Kind {
  const { name, unit } = column;
  if (unit === "us" || name.endsWith("_us")) return "time";
  if (unit === "%" || name.endsWith("_pct") || name === "pct") return "percent";
  if (unit === "bytes" || name.endsWith("_bytes")) return "bytes";
  if (TEXT_COLUMNS.has(name)) return "text";
  if (/_(eligible|used)$|^complete$/.test(name)) return "flag";
  if (index === 0) return name === "step" ? "count" : "name";
  if (/^(calls|registers|step|device|count)$/.test(name)) return "count";
  return /per_sm|_gb/.test(name) ? "number" : "text";
}

/** "device_self_us" → "Device self" */
function wordsOf(name: string): string {
  const words = name.replace(/_(us|pct|bytes|gb|gbps)$/, "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Columns with one unit of time: those of one family, or the column alone. */
export function unitFamily(spec: ColumnSpec): string {
  return spec.group ?? spec.key;
}
