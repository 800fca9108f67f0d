/** The memory charts, drawn from tables. */

import type { Figure } from "../core/protocol";
import type { Snapshot } from "../core/snapshot";
import type { MemoryLens } from "../table/pages";
import type { UnitWish } from "../values/format";
import type { Params, TableSource } from "./answerer";
import { drawMemory } from "./charts/memory";
import type { Category } from "./charts/memorycategories";
import { type Curve, DASHES, type Line } from "./charts/memorycurves";
import { factsOf, throughLens } from "./memory";
import { columnOf, type Inside, numbers, texts } from "./tables/tables";

interface Look {
  unit: UnitWish;
  width(name: string): number;
}

interface MemoryAbout {
  devices: { key: string; label: string }[];
}

/** The chart of the view `memory`, by the name of its figure. */
export async function drawMemoryView(
  snapshot: Snapshot,
  source: TableSource,
  params: Params,
  look: Look,
): Promise<[string, Figure][]> {
  const [curve, peak] = [
    await source.table("memory_curve", ""),
    await source.table("memory_peak", ""),
  ];
  // Of a curve that is not all inside there is what a line needs: see `curve_rows` in Python.
  if (!curve || !peak) return [];
  const wish = { ...(params.memory as MemoryLens | undefined), range: null } as MemoryLens;
  const points = throughLens(snapshot, curve, wish);
  const curves =
    factsOf(snapshot, wish)?.by === "component"
      ? partsOf(snapshot, points)
      : curvesOf(snapshot, points, throughLens(snapshot, peak, wish));
  if (!curves.length) return [];
  const info = snapshot.about<{ duration_us?: number; steps?: { recorded?: boolean } }>("trace");
  const table = info?.steps?.recorded === false ? undefined : await source.table("steps", "");
  const range_us: [number, number] = [0, info?.duration_us ?? 0];
  const width = look.width("memory");
  const found = drawMemory(curves, {
    width,
    unit: look.unit,
    range_us,
    steps: stepsOf(table),
    categories: categoriesOf(await source.table("memory_categories", "")),
  });
  return [["memory", { drawing: found.drawing, plane: found.plane } as Figure]];
}

function stepsOf(table: Inside | undefined) {
  if (!table) return [];
  const [number, start, end] = ["step", "start_us", "end_us"].map((name) => numbers(table, name));
  return (number ?? []).map((one, row) => ({
    number: one,
    start_us: start?.[row] ?? 0,
    end_us: end?.[row] ?? 0,
  }));
}

/** The categories that ever hold anything; the slot is that of the category, whichever others are. */
function categoriesOf(table: Inside | undefined): Category[] {
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

/** The curves of the devices that have a peak, in its order. */
function curvesOf(snapshot: Snapshot, points: Inside, peak: Inside): Curve[] {
  const { devices = [] } = snapshot.about<MemoryAbout>("memory") ?? {};
  const labels = new Map(devices.map(({ key, label }) => [key, label]));
  const keys = keysOf(points);
  const [bytes, when] = ["peak_bytes", "time_us"].map((name) => numbers(peak, name));
  const capacity = columnOf(peak, "capacity_bytes")?.values ?? [];
  const drawn = keysOf(peak).flatMap((key, at): Curve[] => {
    const lines = linesOf(points, (row) => keys[row] === key);
    const most = capacity[at];
    const capacity_ = typeof most === "number" ? most : null;
    const label = labels.get(key) ?? key;
    const curve = { label, lines, peak: bytes?.[at] ?? 0, peak_us: when?.[at] ?? 0 };
    return lines.length ? [{ ...curve, capacity: capacity_ }] : [];
  });
  if (drawn.length < 2) return drawn;
  // What was the most at any time would be one line too many of each.
  const short = (lines: Line[]) => lines.filter(({ of }) => !of.startsWith("peak"));
  return drawn.map((curve) => ({ ...curve, lines: short(curve.lines) }));
}

/** The curves of components. */
function partsOf(snapshot: Snapshot, points: Inside): Curve[] {
  const { devices = [] } = snapshot.about<MemoryAbout>("memory") ?? {};
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

/** What some rows of the curve say, as far as they say it. */
function linesOf(points: Inside, isMine: (row: number) => boolean): Line[] {
  const times = numbers(points, "time_us");
  return ["allocated", ...Object.keys(DASHES)].flatMap((of): Line[] => {
    const all = columnOf(points, `${of.replace(" ", "_")}_bytes`)?.values ?? [];
    const time_us: number[] = [];
    const values: number[] = [];
    all.forEach((value, row) => {
      if (typeof value !== "number" || !isMine(row)) return;
      time_us.push(times[row] ?? 0);
      values.push(value);
    });
    // Allocators that reserve nothing, such as that of the CPU, say 0 throughout.
    return (of === "allocated" ? values.length : values.some(Boolean))
      ? [{ of, time_us, values }]
      : [];
  });
}

/** What the choice of devices calls the device of each row: "cpu", "gpu:0". */
function keysOf(table: Inside): string[] {
  const [kinds, devices] = ["device_type", "device"].map((name) => columnOf(table, name)?.values);
  return (kinds ?? []).map((kind, row) => {
    const device = devices?.[row] ?? null;
    return device === null ? String(kind ?? "") : `${kind ?? ""}:${device}`;
  });
}
