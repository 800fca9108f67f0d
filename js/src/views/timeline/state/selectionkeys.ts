/** Converts a selected slice or area to the keys of the `selection` trait and back. */
import type { Key } from "../../../core/state/traits";
import type { Lane } from "../data/messages";
import type { Area } from "./types";

export function sliceKey(slice: number, host_rows: number): Key {
  return slice < host_rows
    ? { side: "host", row: slice }
    : { side: "device", row: slice - host_rows };
}

export function keyToSlice(key: Key | undefined, host_rows: number): number | null {
  if (!key || typeof key.row !== "number") return null;
  return key.side === "device" ? host_rows + key.row : key.row;
}

/** One key per lane; an area over all lanes lists those shown. */
export function areaKeys(area: Area, shown: readonly Lane[]): Key[] {
  const lanes = area.lanes.length ? area.lanes : shown.map((lane) => lane.key);
  const start_us = area.start_ns / 1e3;
  const end_us = area.end_ns / 1e3;
  return lanes.map((lane) => ({ lane, start_us, end_us }));
}

export function keysToArea(keys: readonly Key[]): Area | null {
  const lanes: string[] = [];
  let start_ns = Number.POSITIVE_INFINITY;
  let end_ns = Number.NEGATIVE_INFINITY;
  for (const { lane, start_us, end_us } of keys) {
    if (typeof lane !== "string" || typeof start_us !== "number" || typeof end_us !== "number")
      continue;
    lanes.push(lane);
    start_ns = Math.min(start_ns, Math.round(start_us * 1e3));
    end_ns = Math.max(end_ns, Math.round(end_us * 1e3));
  }
  return lanes.length ? { start_ns, end_ns, lanes } : null;
}
