/** Draws the memory chart without Python, from the tables of saved state. */

import type { Figure } from "../../core/protocol/protocol";
import type { SavedState } from "../../core/saved/savedstate";
import type { Params, TableSource } from "../../offline/answerer";
import { partnersOf, type SavedBaseline } from "../../offline/charts/memory/baseline";
import type { Category } from "../../offline/charts/memory/categories";
import { type Curve, DASHES, type Line } from "../../offline/charts/memory/curves";
import { drawMemory } from "../../offline/charts/memory/memory";
import { columnOf, numbers, type StoredTable, texts, valuesOf } from "../../offline/tables/tables";
import type { MemoryLens } from "../../table/pagestore";
import type { UnitChoice } from "../../values/format";
import { factsOf, inDeviceOrder, throughLens } from "./offlinelens";

interface Look {
  unit: UnitChoice;
  width(name: string): number;
}

interface MemoryAbout {
  devices: { key: string; label: string }[];
  /** The memory of the baseline of a comparison. */
  baseline?: SavedBaseline;
}

/** Draw the chart of the memory view; the key is the name of its figure. */
export async function drawMemoryView(
  saved: SavedState,
  source: TableSource,
  params: Params,
  look: Look,
): Promise<[string, Figure][]> {
  const [curve, peak] = [
    await source.table("memory_curve", ""),
    await source.table("memory_peak", ""),
  ];
  // The saved curve may be thinned out, but keeps the points that lines need; see `curve_rows` in Python.
  if (!curve || !peak) return [];
  const lens = { ...(params.memory as MemoryLens | undefined), range: null } as MemoryLens;
  const points = throughLens(saved, curve, lens);
  const curves =
    factsOf(saved, lens)?.by === "component"
      ? partsOf(saved, points)
      : curvesOf(saved, points, throughLens(saved, peak, lens));
  if (!curves.length) return [];
  const info = saved.about<{ duration_us?: number; steps?: { recorded?: boolean } }>("trace");
  const table = info?.steps?.recorded === false ? undefined : await source.table("steps", "");
  const { baseline } = saved.about<MemoryAbout>("memory") ?? {};
  const ofParts = curves[0]?.isComponent ?? false;
  const others = baseline?.[ofParts ? "component" : "operator"] ?? [];
  const partners = partnersOf(curves, others);
  const covered = (partners.some(Boolean) && baseline?.range_us) || [0, 0];
  const range_us: [number, number] = [
    Math.min(0, covered[0]),
    Math.max(info?.duration_us ?? 0, covered[1]),
  ];
  const width = look.width("memory");
  const found = drawMemory(curves, {
    width,
    unit: look.unit,
    range_us,
    steps: stepsOf(table),
    baseline: baseline && { curves: partners, until_us: covered[1] },
    categories: categoriesOf(await source.table("memory_categories", "")),
  });
  return [["memory", { drawing: found.drawing, plane: found.plane } as Figure]];
}

function stepsOf(table: StoredTable | undefined) {
  if (!table) return [];
  const [number, start, end] = ["step", "start_us", "end_us"].map((name) => numbers(table, name));
  return (number ?? []).map((one, row) => ({
    number: one,
    start_us: start?.[row] ?? 0,
    end_us: end?.[row] ?? 0,
  }));
}

/** The categories with any memory; a category has the same colour slot whichever others exist. */
function categoriesOf(table: StoredTable | undefined): Category[] {
  if (!table || table.length < table.about.rows) return [];
  const names = texts(table, "category");
  const [time, bytes] = ["time_us", "bytes"].map((name) => numbers(table, name));
  return [...new Set(names)].flatMap((name, slot): Category[] => {
    const rows = names.flatMap((own, row) => (own === name ? [row] : []));
    const sizes = rows.map((row) => bytes?.[row] ?? 0);
    return sizes.some(Boolean)
      ? [{ name, time_us: rows.map((row) => time?.[row] ?? 0), bytes: sizes, slot }]
      : [];
  });
}

/** The curves of the devices that have a peak, in the order of the choice of devices. */
function curvesOf(saved: SavedState, points: StoredTable, peak: StoredTable): Curve[] {
  const { devices = [] } = saved.about<MemoryAbout>("memory") ?? {};
  const labels = new Map(devices.map(({ key, label }) => [key, label]));
  const keys = keysOf(points);
  const [bytes, when] = ["peak_bytes", "time_us"].map((name) => numbers(peak, name));
  const capacity = valuesOf(peak, "capacity_bytes");
  const whose = keysOf(peak);
  const drawn = inDeviceOrder(saved, peak).flatMap((at): Curve[] => {
    const key = whose[at] ?? "";
    const lines = linesOf(points, (row) => keys[row] === key);
    const most = capacity[at];
    const capacity_ = typeof most === "number" ? most : null;
    const label = labels.get(key) ?? key;
    const curve = { label, lines, peak: bytes?.[at] ?? 0, peak_us: when?.[at] ?? 0 };
    return lines.length ? [{ ...curve, capacity: capacity_ }] : [];
  });
  if (drawn.length < 2) return drawn;
  // With several devices there would be too many lines of peaks.
  const short = (lines: Line[]) => lines.filter(({ of }) => !of.startsWith("peak"));
  return drawn.map((curve) => ({ ...curve, lines: short(curve.lines) }));
}

/** The curves of components. */
function partsOf(saved: SavedState, points: StoredTable): Curve[] {
  const { devices = [] } = saved.about<MemoryAbout>("memory") ?? {};
  const names = texts(points, "component");
  const own = keysOf(points);
  const several = new Set(own).size > 1;
  const keys = own.map((key, row) => {
    const label = devices.find((device) => device.key === key)?.label ?? key;
    return `${several ? `${label} ` : ""}${names[row]}`;
  });
  const rest = { peak: 0, peak_us: Number.NaN, capacity: null, isComponent: true };
  return [...new Set(keys)].map((label) => ({
    label,
    lines: linesOf(points, (row) => keys[row] === label),
    ...rest,
  }));
}

/** The lines that some rows of the curve hold. */
function linesOf(points: StoredTable, isMine: (row: number) => boolean): Line[] {
  const times = numbers(points, "time_us");
  return ["allocated", ...Object.keys(DASHES)].flatMap((of): Line[] => {
    const all = valuesOf(points, `${of.replace(" ", "_")}_bytes`);
    const time_us: number[] = [];
    const values: number[] = [];
    all.forEach((value, row) => {
      if (typeof value !== "number" || !isMine(row)) return;
      time_us.push(times[row] ?? 0);
      values.push(value);
    });
    // Allocators that reserve nothing, such as that of the CPU, report 0 throughout.
    return (of === "allocated" ? values.length : values.some(Boolean))
      ? [{ of, time_us, values }]
      : [];
  });
}

/** The key of each row's device, as in the choice of devices: "cpu", "gpu:0". */
function keysOf(table: StoredTable): string[] {
  const [kinds, devices] = ["device_type", "device"].map((name) => columnOf(table, name)?.values);
  return (kinds ?? []).map((kind, row) => {
    const device = devices?.[row] ?? null;
    return device === null ? String(kind ?? "") : `${kind ?? ""}:${device}`;
  });
}
