/** Turns a filter into text: the chips, and the texts of its fields. */

import type { Filter, TraceInfo } from "../../core/protocol/protocol";
import { formatNumber } from "../../values/format";
import { displayName, exactNames, middleCut } from "../../values/names";

interface Chip {
  field: keyof Filter;
  text: string;
}

const LONGEST = 48;

export function chips(filter: Filter, info: TraceInfo | null): Chip[] {
  const found: Chip[] = [];
  const { name, within, steps, time_us: time, kinds, threads, devices, streams } = filter;
  if (name) found.push({ field: "name", text: nameText(name) });
  if (within) {
    const exact = /^=./s.test(within);
    const text = `“${cut(exact ? displayName(within.slice(1)) : within)}”`;
    found.push({ field: "within", text: `within ${exact ? "" : "names that match "}${text}` });
  }
  if (steps) {
    const [first, last] = steps;
    const text = first === last ? `step ${first}` : `steps ${first} to ${last}`;
    found.push({ field: "steps", text });
  }
  if (time)
    found.push({ field: "time_us", text: `time ${timeText(time[0])} to ${timeText(time[1])} ms` });
  if (kinds) found.push({ field: "kinds", text: `${kinds.join(", ")} only` });
  if (threads) {
    const labels = threads.map(
      (tid) => info?.threads.find((t) => t.tid === tid)?.label ?? `thread ${tid}`,
    );
    found.push({ field: "threads", text: labels.join(", ") });
  }
  if (devices) {
    const labels = devices.map(
      (id) => info?.devices.find((d) => d.device === id)?.label ?? `device ${id}`,
    );
    found.push({ field: "devices", text: labels.join(", ") });
  }
  if (streams) found.push({ field: "streams", text: `stream ${streams.join(", ")}` });
  return found;
}

function cut(text: string): string {
  return middleCut(text, (shorter) => shorter.length <= LONGEST);
}

function nameText(name: string): string {
  const exact = exactNames(name);
  if (exact?.length === 1) return `name is ${cut(displayName(exact[0] ?? ""))}`;
  if (exact) return `one of ${exact.length} names`;
  return name.length > 2 && name.startsWith("/") && name.endsWith("/")
    ? `name matches ${cut(name)}`
    : `name contains “${cut(name)}”`;
}

/** Format microseconds as milliseconds, without trailing zeros. */
export function timeText(time_us: number): string {
  return formatNumber(time_us / 1e3, 3).replace(/\.?0+$/, "");
}
