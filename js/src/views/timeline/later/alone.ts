/** Answers `slices` and `find` without Python, from the slices that saved state has one by one. */

import type { SavedState } from "../../../core/saved/savedstate";
import { sameValue } from "../../../core/state/equality";
import type { Answer, Params } from "../../../offline/answerer";
import type { Match } from "../../../offline/tables/match";
import { decodeLevel } from "../data/decode";
import type { SavedTimeline, SliceRef } from "../data/messages";
import { choiceOf } from "../data/requests";
import { isBlock } from "../data/rows";

/** What the script `offline` lends. */
interface Tools {
  matcher(text: string): Match;
  /** Null for an invalid expression, which may be incomplete while being typed. */
  matcherOrNone(text: string): Match | null;
  refuse(message: string): Error;
}

/** Read the saved timeline with the lanes that a request is about. */
async function read(saved: SavedState, params: Params, { refuse }: Tools) {
  const text = await saved.text("timeline");
  const about = text && (JSON.parse(text) as SavedTimeline);
  const slices = await saved.bytes("timeline", 1);
  const { group_by = "thread", workers, clock, align } = params;
  if (!about || !slices) throw refuse("The timeline is not in the saved state.");
  if (!sameValue(choiceOf(about.layout), { group_by, workers, clock, align }))
    throw refuse("These lanes are not in the saved state.");
  return { ...about, slices };
}

/** The names that match, as shown or as recorded, as indices. */
function matching({ info: { names }, recorded = {} }: SavedTimeline, match: Match | null) {
  const found = names.flatMap((name, at) => {
    const other = Object.hasOwn(recorded, name) ? (recorded[name] ?? null) : null;
    return match?.(name) || match?.(other) ? [at] : [];
  });
  return new Set(found);
}

/** All slices, whatever the window: there is one level of detail. */
export async function slices(saved: SavedState, params: Params, tools: Tools): Promise<Answer> {
  const stored = await read(saved, params, tools);
  const { info } = stored;
  const search = String(params.search ?? "").trim();
  const { filter = {} } = (params.state ?? {}) as { filter?: { name?: string } };
  const matches = search ? [...matching(stored, tools.matcherOrNone(search))] : [];
  const kept = filter.name && matching(stored, tools.matcherOrNone(filter.name));
  const dimmed = kept ? [...info.names.keys()].filter((at) => !kept.has(at)) : [];
  const curves = (await saved.bytes("timeline", 3)) ?? new Uint8Array();
  return { result: { ...info, matches, dimmed }, buffers: [stored.slices, curves] };
}

/** As `nbprof/timeline/search.py` finds in all slices. */
export async function find(saved: SavedState, params: Params, tools: Tools): Promise<Answer> {
  const stored = await read(saved, params, tools);
  const text = String(params.search ?? "").trim();
  const names = matching(stored, text ? tools.matcher(text) : null);
  const hits: SliceRef[] = [];
  const { from, from_ns, direction } = params;
  // Only its place in time is known where it is not there.
  let origin: SliceRef = { slice: -1, row: -1, start_ns: Number(from_ns ?? 0), end_ns: 0 };
  const level = decodeLevel(stored.info, stored.slices, undefined);
  for (const { row, start, width, slice, name } of level.rows.values()) {
    for (const [at, start_ns] of start.entries()) {
      if (isBlock(name, at)) continue;
      const end_ns = start_ns + (width[at] ?? 0);
      const one = { slice: slice[at] ?? -1, row, start_ns, end_ns };
      if (one.slice === from) origin = one;
      if (names.has(name[at] ?? -1)) hits.push(one);
    }
  }
  const order = (a: SliceRef, b: SliceRef) =>
    a.start_ns - b.start_ns || a.row - b.row || a.slice - b.slice;
  hits.sort(order);
  const before = hits.filter((hit) => order(hit, origin) < 0).length;
  const count = hits.length;
  const isHit = hits[before]?.slice === origin.slice;
  const after = (direction === 1 && isHit ? before + 1 : before) % (count || 1);
  const index = direction === -1 ? before || count : after + 1;
  const { start_ns, end_ns, minimap } = stored.layout;
  const per = minimap.columns / Math.max(end_ns - start_ns, 1);
  const columnOf = (hit: SliceRef) =>
    Math.min(minimap.columns - 1, Math.max(0, Math.trunc((hit.start_ns - start_ns) * per)));
  const columns = [...new Set(hits.map(columnOf))].sort((a, b) => a - b);
  const result = { count, index: count && index, hit: hits[index - 1] ?? null, columns };
  return { result, buffers: [] };
}
