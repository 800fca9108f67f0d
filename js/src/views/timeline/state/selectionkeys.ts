/** Converts a selected slice or area to the keys of the `selection` trait and back. */
import type { Key } from "../../../core/state/traits";
import type { Lane, Layout, ShownWorker } from "../data/messages";
import { workerOfKey, workerOfSlice } from "./scope";
import type { Area } from "./types";

/** What a key says about another worker than that on screen, or about the baseline. */
function ownerOf(worker: ShownWorker | undefined): Key {
  if (!worker?.suffix) return {};
  return worker.baseline ? { baseline: true } : { worker: worker.worker };
}

/** The worker that a key names; undefined where it is not shown. */
function ownerIn({ workers = [] }: Layout, { worker, baseline }: Key): ShownWorker | undefined {
  if (baseline) return workers.find((one) => one.baseline);
  return worker ? workers.find((one) => one.worker === worker && !one.baseline) : workers[0];
}

/** The key of a slice; of another worker than that on screen, with its name. */
export function sliceKey(slice: number, layout: Layout): Key {
  const worker = workerOfSlice(layout, slice);
  const own = slice - (worker?.first_slice ?? 0);
  const host = worker?.host_rows ?? layout.host_rows;
  const key: Key = own < host ? { side: "host", row: own } : { side: "device", row: own - host };
  return { ...key, ...ownerOf(worker) };
}

/** The slice of a key; null where it names none, or a worker that is not shown. */
export function keyToSlice(key: Key | undefined, layout: Layout): number | null {
  if (!key || typeof key.row !== "number") return null;
  const found = ownerIn(layout, key);
  if ((key.worker || key.baseline) && !found) return null;
  const host = found?.host_rows ?? layout.host_rows;
  return (found?.first_slice ?? 0) + (key.side === "device" ? host + key.row : key.row);
}

/**
 * One key per lane; an area over all lanes lists those shown. Times of a lane of another worker are
 * on its own clock, so that they do not depend on how clocks are aligned.
 */
export function areaKeys(area: Area, shown: readonly Lane[], layout: Layout): Key[] {
  const lanes = area.lanes.length ? area.lanes : shown.map((lane) => lane.key);
  return lanes.map((lane) => {
    const of = workerOfKey(layout, lane);
    const { suffix = "", shift_ns = 0 } = of ?? {};
    const start_us = (area.start_ns - shift_ns) / 1e3;
    const end_us = (area.end_ns - shift_ns) / 1e3;
    if (!suffix) return { lane, start_us, end_us };
    return { lane: lane.slice(0, -suffix.length), ...ownerOf(of), start_us, end_us };
  });
}

/** The area of keys; one without a lane is of all lanes. */
export function keysToArea(keys: readonly Key[], layout: Layout): Area | null {
  const lanes: string[] = [];
  let start_ns = Number.POSITIVE_INFINITY;
  let end_ns = Number.NEGATIVE_INFINITY;
  for (const key of keys) {
    const { lane, worker, baseline, start_us, end_us } = key;
    if (typeof start_us !== "number" || typeof end_us !== "number") continue;
    const found = ownerIn(layout, key);
    if ((worker || baseline) && !found) continue;
    const { suffix = "", shift_ns = 0 } = found ?? {};
    if (typeof lane === "string") lanes.push(lane + suffix);
    start_ns = Math.min(start_ns, Math.round(start_us * 1e3) + shift_ns);
    end_ns = Math.max(end_ns, Math.round(end_us * 1e3) + shift_ns);
  }
  return start_ns < end_ns ? { start_ns, end_ns, lanes } : null;
}
