/** Narrows memory tables without Python to the device and sizes chosen in the view. */

import type { SavedState } from "../../core/saved/savedstate";
import { type Answer, NeedsPython, type Params, type TableSource } from "../../offline/answerer";
import { columnOf, type StoredTable, take } from "../../offline/tables/tables";
import type { MemoryLens } from "../../table/pagestore";

/** The value of `memory_device` for all devices. */
const ALL = "all";

/** The component for the whole memory of a device, where components are known. */
const BOTH = "PTA+GE";
const COMPONENT = "component";

/** `about` of the entry `memory`: the result of the operation, by requested device. */
interface MemoryAbout {
  devices: { key: string; label: string }[];
  /** Which devices these are, if not all. */
  left_out?: string;
  /** The device that is shown where none or an unknown one is requested. */
  first: string;
  shown: Record<string, Facts>;
  /** The results by component, where components are known. */
  parts?: Record<string, Facts>;
}

interface Facts {
  by: string;
  kinds: string[];
  peaks: unknown[];
  records: number;
}

/** The result for the curves that a lens selects. */
export function factsOf(saved: SavedState, lens: MemoryLens | undefined): Facts | undefined {
  const about = saved.about<MemoryAbout>("memory");
  const device = chosenDevice(saved, lens?.device ?? "");
  const parts = lens?.by === COMPONENT ? about?.parts?.[device] : undefined;
  return parts ?? about?.shown[device];
}

/** The key of the device that is shown for a requested one. */
function chosenDevice(saved: SavedState, requested: string): string {
  const about = saved.about<MemoryAbout>("memory");
  return about && Object.hasOwn(about.shown, requested) ? requested : (about?.first ?? "");
}

/** Whether a lens narrows the tables further than the filter of the saved state. */
export function narrows(saved: SavedState, lens: MemoryLens | undefined): boolean {
  const parts = saved.about<MemoryAbout>("memory")?.parts;
  return Boolean(lens?.sizes || parts) || chosenDevice(saved, lens?.device ?? "") !== ALL;
}

/** @throws NeedsPython - the lens has a range of time */
export function throughLens(
  saved: SavedState,
  table: StoredTable,
  lens: MemoryLens | undefined,
): StoredTable {
  if (lens?.range) throw new NeedsPython("Narrowing memory to a range of time needs Python.");
  const device = chosenDevice(saved, lens?.device ?? "");
  const [kinds, numbers] = ["device_type", "device"].map((name) => columnOf(table, name)?.values);
  const [kind = "", number] = device.split(":");
  const sizes = columnOf(table, "size_bytes")?.values;
  const ofParts = factsOf(saved, lens)?.by === COMPONENT;
  const parts = table.about.table === "memory_curve" ? columnOf(table, "component")?.values : [];
  const [low, high] = lens?.sizes ?? [];
  const rows: number[] = [];
  for (let row = 0; row < table.length; row += 1) {
    const sameKind = !kinds || (kinds[row] ?? "") === kind;
    const own = sameKind && (numbers?.[row] ?? null) === numberOf(number);
    if (device !== ALL && !own) continue;
    const part = parts?.[row] ?? BOTH;
    if (parts?.length && (part !== BOTH) !== ofParts) continue;
    const size = Number(sizes?.[row]);
    if (sizes && low !== undefined && high !== undefined && !(size >= low && size <= high))
      continue;
    rows.push(row);
  }
  return rows.length === table.length ? table : take(table, rows);
}

/** The rows of a table of devices, in the order of display. */
export function inDeviceOrder(saved: SavedState, table: StoredTable): number[] {
  const known = saved.about<MemoryAbout>("memory")?.devices ?? [];
  const [kinds, numbers] = ["device_type", "device"].map((name) => columnOf(table, name)?.values);
  const places = Array.from({ length: table.length }, (_, row) => {
    const number = numbers?.[row] ?? null;
    const key = `${kinds?.[row] ?? ""}${number === null ? "" : `:${number}`}`;
    return known.findIndex((device) => device.key === key);
  });
  return places.map((_, row) => row).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
}

function numberOf(text: string | undefined): number | null {
  return text === undefined || text === "" ? null : Number(text);
}

/** Answer the operation `memory`, except for the figure. */
export async function memory(
  saved: SavedState,
  source: TableSource,
  params: Params,
): Promise<Answer> {
  const about = saved.about<MemoryAbout>("memory");
  if (!about || !(await source.table("memory_curve", "")))
    throw new NeedsPython(
      source.lacks?.("memory_curve") ?? "Memory under another filter needs Python.",
    );
  const lens = params.memory as MemoryLens | undefined;
  const device = chosenDevice(saved, lens?.device ?? "");
  const shown = factsOf(saved, lens) ?? { peaks: [], records: 0 };
  const { devices, left_out } = about;
  const words = left_out ? { left_out } : {};
  const result = { devices, ...words, device, ...shown, figure: null, plane: null };
  return { result, buffers: [] };
}
