/** The look and order of the columns of each table, where the column's kind does not decide them. */
import type { ColumnSpec } from "./columnspec";

type Look = Partial<
  Pick<
    ColumnSpec,
    "label" | "group" | "kind" | "width" | "bar" | "fill" | "rare" | "decimals" | "signed"
  >
>;

const KERNEL = "var(--c-kernel)";
const MEMORY = "var(--c-curve)";
export const HOST = "var(--c-cpu-exec)";

/** The columns of the distribution of call times, on one side; they have a unit of their own. */
function spread(side: string, title: string): Record<string, Look> {
  const group = `${title} call`;
  const times = ["mean", "max", "min"].map((key) => [
    `${side}_${key}_us`,
    { label: key.charAt(0).toUpperCase() + key.slice(1), group, width: key === "mean" ? 106 : 76 },
  ]);
  const share = { label: `${title} time share`, width: 80 };
  return { ...Object.fromEntries(times), [`${side}_pct`]: share };
}

/** The shares in the self time of all rows, and the memory, of one side; hidden until asked for. */
function sharesAndMemory(side: string, title: string): Record<string, Look> {
  const looks: Record<string, Look> = {};
  for (const [part, label] of [
    ["self", "Self"],
    ["total", "Total"],
  ] as const) {
    const group = `${title} memory`;
    looks[`${side}_memory_${part}_bytes`] = { label, group, width: 80, rare: true };
    const share = { label: `${label} share`, group: `${title} time` };
    looks[`${side}_${part}_pct`] = { ...share, width: 84, rare: true };
  }
  return looks;
}

/** The shares of a time, of the rows under the filter and of all. */
function shares(time: string, group: string, fill: string): Record<string, Look> {
  return {
    [`${time}_of_filter_pct`]: { label: "Of filter", group, width: 112, bar: "beside", fill },
    [`${time}_of_all_pct`]: { label: "Of all", group, width: 68 },
  };
}

export const LOOKS: Record<string, Record<string, Look>> = {
  operators: {
    name: { label: "Operator" },
    input_shapes: { label: "Input shapes", width: 220 },
    call_stack: { label: "Call stack", width: 320 },
    calls: { width: 64 },
    device_self_us: { label: "Self", group: "Device time", width: 88, bar: "under", fill: KERNEL },
    device_total_us: { label: "Total", group: "Device time", width: 76 },
    host_self_us: { label: "Self", group: "Host time", width: 84, bar: "under", fill: HOST },
    host_total_us: { label: "Total", group: "Host time", width: 76 },
    ...spread("device", "Device"),
    ...spread("host", "Host"),
    ...sharesAndMemory("device", "Device"),
    ...sharesAndMemory("host", "Host"),
    tensor_core_eligible: { label: "Eligible", width: 64 },
    ...shares("device_self", "Device self share", KERNEL),
    ...shares("host_self", "Host self share", HOST),
    matrix_unit_pct: { label: "Used", width: 68 },
    matrix_unit_unknown_pct: { label: "Unknown", width: 72 },
    tensor_core_self_pct: { rare: true },
    tensor_core_total_pct: { rare: true },
    ai_core_eligible: { label: "Eligible", group: "AI Core", width: 64 },
    ai_core_self_pct: { label: "Self", group: "AI Core", width: 68 },
    ai_core_total_pct: { label: "Total", group: "AI Core", width: 68 },
  },
  kernels: {
    name: { label: "Kernel" },
    call_stack: { width: 280 },
    operator: { width: 180 },
    operators: { width: 200 },
    launched_by: { width: 150 },
    grid: { width: 96 },
    block: { width: 88 },
    registers: { width: 76 },
    shared_memory_bytes: { label: "Shared memory", width: 88 },
    matrix_unit_used: { label: "Used", width: 56 },
    matrix_unit_dtype: { label: "Type", width: 52 },
    tensor_core_used: { rare: true },
    accelerator_core: { width: 132 },
    start_us: { width: 104, decimals: 3 },
    duration_us: { width: 84, bar: "under", fill: KERNEL },
    calls: { width: 60 },
    total_us: { label: "Total", width: 72 },
    pct: { label: "Share", width: 124, bar: "beside", fill: KERNEL },
    total_of_all_pct: { label: "Share of all", width: 84 },
    duration_of_all_pct: { label: "Share of all", width: 84 },
    mean_us: { label: "Mean", group: "Duration of a call", width: 64 },
    min_us: { label: "Min", group: "Duration of a call", width: 60 },
    max_us: { label: "Max", group: "Duration of a call", width: 64 },
    mean_blocks_per_sm: { label: "Blocks per SM", width: 72 },
    mean_occupancy_pct: { label: "Occupancy", width: 84 },
    recorded_name: { rare: true },
    launch_us: { label: "Launch call" },
    flops: { label: "FLOPs", width: 96 },
    pct_of_peak: { label: "Of peak" },
    bound: { width: 76 },
    queue_us: { label: "Queue" },
    module: { width: 120 },
    direction: { width: 84 },
    thread: { rare: true },
    sequence: { rare: true },
    status: { rare: true },
    annotation: { rare: true },
    forward_operator: { rare: true },
    input_types: { rare: true },
  },
  flame: {
    name: { label: "Frame" },
    kind: { width: 88 },
    total_us: { bar: "under", fill: HOST },
    total_bytes: { bar: "under", fill: HOST },
  },
  operator_costs: {
    name: { label: "Operator" },
    input_types: { rare: true },
    flops: { label: "FLOPs", width: 128 },
    pct_of_peak: { label: "Of peak", width: 72 },
    bound: { width: 80 },
    type: { width: 56 },
    intensity: { label: "FLOP/byte", width: 80 },
    tflops_per_s: { label: "TFLOP/s", width: 84, bar: "under", fill: KERNEL, decimals: 2 },
    tb_per_s: { label: "TB/s", width: 84, bar: "under", fill: MEMORY, decimals: 3 },
  },
  device_peaks: {
    peak_tflops: { label: "Peak TFLOP/s" },
    memory_tb_per_s: { label: "Memory TB/s", decimals: 2 },
    link_gb_per_s: { label: "Links GB/s" },
  },
  steps: {
    step: { width: 72 },
    complete: { width: 76 },
  },
};

/** The first column, where it is not the first of the table. */
export const FIRST: Record<string, string> = {
  kernels: "name",
};

/** The order of columns, where it differs from the table. */
export const ORDER: Record<string, string[]> = {
  operators: [
    "calls",
    ...["device", "host"].flatMap((side) =>
      [
        "self_us",
        "self_pct",
        "self_of_filter_pct",
        "self_of_all_pct",
        "total_us",
        "total_pct",
        "mean_us",
        "max_us",
        "min_us",
        "pct",
      ].map((key) => `${side}_${key}`),
    ),
  ],
  kernels: [
    "matrix_unit_used",
    "matrix_unit_dtype",
    "tensor_core_used",
    "calls",
    "total_us",
    "duration_us",
    "pct",
    "total_of_all_pct",
    "duration_of_all_pct",
    "mean_us",
    "min_us",
    "max_us",
  ],
  operator_costs: [
    "calls",
    "device_us",
    "pct_of_peak",
    "bound",
    "tflops_per_s",
    "tb_per_s",
    "intensity",
    "type",
    "flops",
    "bytes",
  ],
};
