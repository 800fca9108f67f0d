/** Answers for memory snapshots without Python: saved levels of the blocks, and saved moments. */
import type { SavedState } from "../../../core/saved/savedstate";
import { type Answer, NeedsPython, type Params } from "../../../offline/answerer";
import type { OwnQuestion } from "../../../offline/offlinepart";

interface About {
  devices: string[];
  /** The saved moments of each device, the first one shown first. */
  moments: Record<string, number[]>;
  tiles: number;
}

/** The whole time, or the finer level that covers the range. */
export async function blocks({ saved, params, underSavedFilter }: OwnQuestion): Promise<Answer> {
  const { about, device } = chosen(saved, params);
  if (!underSavedFilter || params.search || (params.memory as { sizes?: unknown })?.sizes)
    throw new NeedsPython("Searching and filtering blocks needs Python.");
  const axis = String(params.axis ?? "time");
  const whole = await stored(saved, `blocks:${device}:${axis}`);
  if (!whole) throw new NeedsPython(`The blocks by ${axis} are not in the saved state.`);
  const range = params.range as [number, number] | undefined;
  if (!range) return whole;
  const [start, end] = whole.result.extent as [number, number];
  const length = (end - start) / about.tiles;
  // A request has margins; the middle of the range decides.
  const tile = Math.floor(((range[0] + range[1]) / 2 - start) / length);
  const finer = axis === "time" ? await stored(saved, `blocks:${device}:${tile}`) : undefined;
  if (!finer || range[1] - range[0] > 2 * length)
    throw new NeedsPython("the saved state has no finer level; it needs Python.");
  return finer;
}

export async function segments({ saved, params }: OwnQuestion): Promise<Answer> {
  const { about, device } = chosen(saved, params);
  const moments = about.moments[device] ?? [];
  const moment = params.moment ?? (params.at === undefined ? moments[0] : undefined);
  const found =
    moment === undefined ? undefined : await stored(saved, `segments:${device}:${moment}`);
  if (!found)
    throw new NeedsPython(
      "The segments at this moment need Python. Those of the moments above are saved.",
    );
  return found;
}

function chosen(saved: SavedState, params: Params): { about: About; device: string } {
  const about = saved.about<About>("allocations");
  if (!about) throw new NeedsPython("The blocks are not in the saved state.");
  const wished = String((params.memory as { device?: string })?.device ?? "");
  const device = about.devices.includes(wished) ? wished : (about.devices[0] ?? "");
  return { about, device };
}

async function stored(saved: SavedState, name: string): Promise<Answer | undefined> {
  const text = await saved.text(name);
  const buffers = await Promise.all([saved.bytes(name, 1), saved.bytes(name, 2)]);
  if (text === undefined || !buffers[0] || !buffers[1]) return undefined;
  return { result: JSON.parse(text) as Answer["result"], buffers: [buffers[0], buffers[1]] };
}
