/** The look and order of the columns of the tables about memory. */
import { FIRST, LOOKS, ORDER } from "../../table/columnlooks";

const MEMORY = "var(--c-curve)";

Object.assign(LOOKS, {
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
    requested_bytes: { label: "Requested", width: 76 },
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
});

Object.assign(FIRST, {
  memory_operators: "name",
  memory_events: "operator",
  memory_peak_holders: "operator",
  memory_curve: "time_us",
  memory_components: "component",
});

Object.assign(ORDER, {
  memory_operators: [
    "calls",
    "self_allocation_size_bytes",
    "allocation_size_bytes",
    "self_size_increase_bytes",
    "size_increase_bytes",
    "self_allocation_count",
    "allocation_count",
  ],
});
