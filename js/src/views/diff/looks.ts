/** The look of the columns of differences: each figure is a group of both sides and the difference. */
import type { Context } from "../../core/context";
import { FIRST, LOOKS } from "../../table/columnlooks";

type Looks = (typeof LOOKS)[string];

/** The figures that tables of differences compare, with the heading of their columns. */
const FIGURES: Record<string, string> = {
  device_self_us: "Device self",
  device_total_us: "Device total",
  host_self_us: "Host self",
  host_total_us: "Host total",
  device_us: "Device time",
  host_us: "Host time",
  backward_device_us: "Backward, device",
  backward_host_us: "Backward, host",
  total_us: "Time",
  queue_us: "Queue",
  idle_us: "Idle",
  calls: "Calls",
  gaps: "Gaps",
  bytes: "Size",
  peak_bytes: "Peak",
  blocks: "Blocks",
  launched: "Launched",
  kernel_us: "Kernel",
  memcpy_us: "Memcpy",
  memset_us: "Memset",
  communication_us: "Communication",
  runtime_us: "Runtime",
  dataloader_us: "DataLoader",
  cpu_exec_us: "CPU Exec",
  other_us: "Other",
};
/** Figures that are shown on demand. */
const RARE = new Set(["device_total_us", "host_total_us", "backward_host_us", "queue_us"]);
const SIDES = { baseline: "Baseline", candidate: "Candidate", delta: "Difference" };
/** The share of the width for names, and their least width, CSS px. */
const [NAMES, LEAST, NARROW] = [0.36, 208, 170];
/** The width of the main figure with its change, a scrollbar and the borders, CSS px. */
const CHANGE = 474;

/** The width of names beside which the change is seen without scrolling; undefined: the usual one. */
export function nameWidth(ctx: Context): number | undefined {
  if (ctx.width() === "wide") return undefined;
  const room = ctx.room();
  const least = ctx.width() === "narrow" ? NARROW : LEAST;
  return Math.max(least, Math.min(Math.round(NAMES * room), room - CHANGE));
}

function looks(name: string): Looks {
  const found: Looks = {
    name: { label: name },
    input_shapes: { label: "Input shapes", width: 180 },
    delta_pct: { label: "Difference", group: "Relative", width: 96, signed: true },
    noise_pct: { label: "Noise", group: "Relative", width: 68 },
    change: { width: 72 },
    phase: { rare: true },
    kind: { width: 84 },
    occurrence: { rare: true },
    row: { rare: true },
    parent: { rare: true },
    depth: { rare: true },
    side: { width: 80 },
    baseline_kernels: { width: 200 },
    candidate_kernels: { width: 200 },
    baseline_step: { kind: "count", width: 72 },
    candidate_step: { kind: "count", width: 72 },
    baseline_complete: { kind: "flag", rare: true },
    candidate_complete: { kind: "flag", rare: true },
  };
  for (const [figure, group] of Object.entries(FIGURES))
    for (const [side, label] of Object.entries(SIDES))
      found[`${side}_${figure}`] = {
        label,
        group,
        width: { baseline: 70, candidate: 72, delta: 76 }[side] ?? 72,
        ...(side === "delta" && { signed: true }),
        ...(RARE.has(figure) && { rare: true }),
        ...(!/_us$|bytes$/.test(figure) && {
          kind: "count",
          ...(side === "delta" && { rare: true }),
        }),
      };
  return found;
}

LOOKS.differences = looks("Name");
FIRST.differences = FIRST.diff_tree = "name";
LOOKS.diff_tree = {
  ...looks("Module, operator or kernel"),
  ...rare("device_self_us", "host_self_us"),
};

/** Figures that a table shows on demand. */
function rare(...figures: string[]): Looks {
  const keys = figures.flatMap((figure) => Object.keys(SIDES).map((side) => `${side}_${figure}`));
  return Object.fromEntries(keys.map((key) => [key, { ...LOOKS.differences?.[key], rare: true }]));
}
