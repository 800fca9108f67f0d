/** The flame graph: the whole graph as it was recorded, with what a search finds marked anew. */

import type { Snapshot } from "../core/snapshot";
import type { Rows } from "../values/arrow";
import { type Answer, NeedsPython, type Params } from "./answerer";
import { type Match, matcherOrNone } from "./tables/match";
import { given, type Inside, readColumns } from "./tables/tables";

/** What a reply says of the whole graph, and what a search needs beside it. */
interface Recorded extends Record<string, unknown> {
  names: string[];
  /** The names of all frames, also of those that stand in blocks, and how many have each. */
  every: [name: string, frames: number][];
}

const NOTHING: Match = () => false;

export async function flame(snapshot: Snapshot, params: Params): Promise<Answer> {
  const order = String(params.order || "left_heavy");
  const key = flameKey(snapshot, String(params.by || "auto"), order);
  const text = await snapshot.text(key);
  if (text === undefined) throw new NeedsPython("This flame graph is not in the snapshot.");
  const { every, ...result } = JSON.parse(text) as Recorded;
  const rows = await snapshot.rows(key, 1);
  const search = String(params.search ?? "").trim();
  const matches = search ? matcherOrNone(search) : NOTHING;
  const found = matches ?? NOTHING;
  const matching = (result.names ?? []).map((name) => found(name));
  const answer = {
    ...result,
    found: (every ?? []).reduce((sum, [name, count]) => sum + (found(name) ? count : 0), 0),
    search_valid: matches !== null,
  };
  return { result: answer, buffers: rows ? [given(marked(rows, matching))] : [] };
}

/** The entry of a flame graph; its width may be the one that Python chose. */
export function flameKey(snapshot: Snapshot, by: string, order: string): string {
  const chosen = snapshot.about<{ auto: string }>("flame")?.auto;
  return `flame:${by === "auto" && chosen ? chosen : by}:${order}`;
}

function marked(rows: Rows, matching: readonly boolean[]): Inside {
  const columns = readColumns(rows);
  const names = columns.find(({ name }) => name === "name")?.values ?? [];
  const match = names.map((code) => matching[Number(code)] === true);
  const length = names.length;
  return {
    about: {} as Inside["about"],
    length,
    columns: columns.map((one) => (one.name === "match" ? { ...one, values: match } : one)),
    slots: [],
  };
}
