/** The look and order of the columns of each table, where the column's kind does not decide them. */
import type { ColumnSpec } from "./columnspec";

type Look = Partial<
  Pick<ColumnSpec, "label" | "group" | "width" | "bar" | "fill" | "rare" | "decimals">
>;

const KERNEL = "var(--c-kernel)";
const MEMORY = "var(--c-curve)";
export const HOST = "var(--c-cpu-exec)";

/** The columns of the distribution of call times, on one side. */
function spread(side: string, group: string): Record<string, Look> {
  const times = ["mean", "max", "min"].map((key) => [
    `${side}_${key}_us`,
    { label: key.charAt(0).toUpperCase() + key.slice(1), group, width: 68 },
  ]);
  return { ...Object.fromEntries(times), [`${side}_pct`]: { label: `${group} share`, width: 80 } };
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
    ...spread("device", "Device time"),
    ...spread("host", "Host time"),
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
    pct: { label: "Share of filtered", width: 124, bar: "beside", fill: KERNEL },
    total_of_all_pct: { label: "Share of all", width: 84 },
    duration_of_all_pct: { label: "Share of all", width: 84 },
    mean_us: { label: "Mean", group: "Duration of a call", width: 64 },
    min_us: { label: "Min", group: "Duration of a call", width: 60 },
    max_us: { label: "Max", group: "Duration of a call", width: 64 },
    mean_blocks_per_sm: { label: "Blocks per SM", width: 72 },
    mean_occupancy_pct: { label: "Occupancy", width: 84 },
    recorded_name: { rare: true },
  },
  modules: {
    name: { label: "Module" },
    share_pct: { label: "Share of modules", width: 104, bar: "beside", fill: KERNEL },
    occurrences: { label: "Calls", width: 52 },
    operators: { width: 76 },
    device_self_us: {
      label: "Self",
      group: "Forward, device",
      width: 80,
      bar: "under",
      fill: KERNEL,
    },
    device_total_us: { label: "Total", group: "Forward, device", width: 68 },
    host_self_us: { label: "Self", group: "Forward, host", width: 80, bar: "under", fill: HOST },
    host_total_us: { label: "Total", group: "Forward, host", width: 72 },
    backward_device_us: { label: "Device", group: "Backward", width: 76 },
    backward_host_us: { label: "Host", group: "Backward", width: 98 },
  },
  memory_operators: {
    name: { label: "Operator" },
    device_type: { label: "Device", width: 72 },
    device: { label: "No.", width: 44 },
    calls: { width: 52 },
    self_allocation_size_bytes: { label: "Allocated", width: 84, bar: "under", fill: MEMORY },
    allocation_size_bytes: { label: "Allocated, total", width: 84, rare: true },
    self_size_increase_bytes: { label: "Kept", width: 76 },
    size_increase_bytes: { label: "Kept, total", width: 76, rare: true },
    self_allocation_count: { label: "Blocks", width: 56 },
    allocation_count: { label: "Blocks, total", width: 64, rare: true },
    memory_type: { label: "Memory", width: 76 },
    self_release_size_bytes: { label: "Released", width: 84 },
    release_size_bytes: { label: "Released, total", width: 84, rare: true },
    self_release_count: { label: "Blocks released", width: 68 },
    release_count: { label: "Blocks released, total", width: 76, rare: true },
  },
  memory_events: {
    operator: { label: "Operator" },
    device_type: { label: "Device", width: 76 },
    device: { label: "No.", width: 52 },
    size_bytes: { label: "Size", width: 96, bar: "under", fill: MEMORY },
    allocation_us: { label: "Allocated at", width: 112, decimals: 3 },
    release_us: { label: "Released at", width: 112, decimals: 3 },
    duration_us: { label: "Lifetime", width: 112, decimals: 3 },
    memory_type: { label: "Memory", width: 76 },
    address: { width: 132 },
    release_operator: { label: "Released by", width: 180 },
  },
  memory_peak_holders: {
    operator: { label: "Holder" },
    device_type: { label: "Device", width: 72 },
    device: { label: "No.", width: 44 },
    module: { width: 116 },
    call_stack: { label: "Call stack", width: 240, rare: true },
    bytes: { label: "Size", width: 76 },
    blocks: { width: 58 },
    pct: { label: "Share of peak", width: 116, bar: "beside", fill: MEMORY },
  },
  memory_curve: {
    time_us: { decimals: 3 },
    component: { width: 90 },
    allocated_bytes: { label: "Allocated", width: 120, bar: "under", fill: MEMORY },
    reserved_bytes: { label: "Reserved", width: 120 },
    peak_allocated_bytes: { label: "Peak allocated", width: 120 },
    peak_reserved_bytes: { label: "Peak reserved", width: 120 },
  },
  memory_components: {
    device: { label: "No.", width: 44 },
    source: { width: 90 },
    peak_reserved_bytes: { label: "Peak reserved", width: 120, bar: "under", fill: MEMORY },
    time_us: { label: "First at", width: 112, decimals: 3 },
  },
  distributed_ops: {
    name: { label: "Operator", width: 180 },
    worker: { width: 140 },
    calls: { width: 56 },
    total_bytes: { label: "Total", group: "Size", width: 76 },
    avg_bytes: { label: "Mean", group: "Size", width: 76 },
    total_latency_us: {
      label: "Total",
      group: "Latency",
      width: 84,
      bar: "under",
      fill: "var(--c-communication)",
    },
    avg_latency_us: { label: "Mean", group: "Latency", width: 76 },
    data_transfer_us: { label: "Total", group: "Data transfer", width: 76 },
    avg_data_transfer_us: { label: "Mean", group: "Data transfer", width: 76 },
    algo_gbps: { label: "Algorithm", group: "Bandwidth, GB/s", width: 84, decimals: 2 },
    bus_gbps: { label: "Bus", group: "Bandwidth, GB/s", width: 84, decimals: 2 },
    link_gbps: { label: "One link", group: "Bandwidth, GB/s", width: 84, decimals: 2 },
  },
  flame: {
    name: { label: "Frame" },
    kind: { width: 88 },
    total_us: { bar: "under", fill: HOST },
    total_bytes: { bar: "under", fill: HOST },
  },
  steps: {
    step: { width: 72 },
    complete: { width: 76 },
  },
};

/** The first column, where it is not the first of the table. */
export const FIRST: Record<string, string> = {
  kernels: "name",
  distributed_ops: "name",
  memory_operators: "name",
  memory_events: "operator",
  memory_peak_holders: "operator",
  memory_curve: "time_us",
  memory_components: "component",
};

/** The order of columns, where it differs from the table. */
export const ORDER: Record<string, string[]> = {
  operators: [
    "calls",
    ...["device", "host"].flatMap((side) =>
      [
        "self_us",
        "self_of_filter_pct",
        "self_of_all_pct",
        "total_us",
        "mean_us",
        "max_us",
        "min_us",
        "pct",
      ].map((key) => `${side}_${key}`),
    ),
  ],
  modules: [
    "share_pct",
    "occurrences",
    "operators",
    "device_self_us",
    "device_total_us",
    "host_self_us",
    "host_total_us",
    "backward_device_us",
    "backward_host_us",
  ],
  memory_operators: [
    "calls",
    "self_allocation_size_bytes",
    "allocation_size_bytes",
    "self_size_increase_bytes",
    "size_increase_bytes",
    "self_allocation_count",
    "allocation_count",
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
};
