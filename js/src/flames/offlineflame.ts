/** Answers for the flame graph without Python: the stored graph with search matches marked. */

import type { SavedState } from "../core/saved/savedstate";
import { type Answer, NeedsPython, type Params } from "../offline/answerer";
import { type Match, matcherOrNone } from "../offline/tables/match";
import { given, readColumns, type StoredTable } from "../offline/tables/tables";
import type { Rows } from "../values/arrow";

/** The fields of a reply about the whole graph, with those that a search needs. */
interface Recorded extends Record<string, unknown> {
  names: string[];
  /** The names of all frames, including those in blocks, with the number of frames of each. */
  every: [name: string, frames: number][];
}

const NOTHING: Match = () => false;

export async function flame(saved: SavedState, params: Params): Promise<Answer> {
  const order = String(params.order || "left_heavy");
  const key = flameKey(saved, String(params.by || "auto"), order);
  return graph(saved, key, params);
}

/** The answer about the graph that an entry of the saved state holds. */
export async function graph(saved: SavedState, key: string, params: Params): Promise<Answer> {
  const text = await saved.text(key);
  if (text === undefined) throw new NeedsPython("This graph is not in the saved state.");
  const { every, ...result } = JSON.parse(text) as Recorded;
  const rows = await saved.rows(key, 1);
  const search = String(params.search ?? "").trim();
  const matches = search ? matcherOrNone(search) : NOTHING;
  const found = matches ?? NOTHING;
  const selected = new Set((params.selected as string[] | undefined) ?? []);
  const matching = (result.names ?? []).map((name) => found(name) || selected.has(name));
  const answer = {
    ...result,
    found: (every ?? []).reduce((sum, [name, count]) => sum + (found(name) ? count : 0), 0),
    search_valid: matches !== null,
  };
  return { result: answer, buffers: rows ? [given(marked(rows, matching))] : [] };
}

/** The entry name of a flame graph; "auto" is the measure that Python chose. */
export function flameKey(saved: SavedState, by: string, order: string): string {
  const chosen = saved.about<{ auto: string }>("flame")?.auto;
  return `flame:${by === "auto" && chosen ? chosen : by}:${order}`;
}

function marked(rows: Rows, matching: readonly boolean[]): StoredTable {
  const columns = readColumns(rows);
  const names = columns.find(({ name }) => name === "name")?.values ?? [];
  const match = names.map((code) => matching[Number(code)] === true);
  const length = names.length;
  return {
    about: {} as StoredTable["about"],
    length,
    columns: columns.map((one) => (one.name === "match" ? { ...one, values: match } : one)),
    slots: [],
  };
}
