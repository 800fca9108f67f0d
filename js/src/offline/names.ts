/** Suggests names of operators and kernels, as `nbprof/widgets/requests/trace.py` does. */
import type { Names } from "../core/protocol/protocol";
import type { Answer, Params, TableSource } from "./answerer";
import { matcherOrNone } from "./tables/match";
import { numbers, texts } from "./tables/tables";

/** The tables whose rows are named, and their times. */
const TABLES = [
  ["operators", "operator", "host_total_us"],
  ["kernels", "kernel", "total_us"],
] as const;
const MOST = 50;

export async function names(source: TableSource, params: Params): Promise<Answer> {
  const text = String(params.text ?? "").trim();
  const limit = Math.min(Number(params.limit) || MOST, MOST);
  const matches = text ? matcherOrNone(text) : null;
  const matching: Names["names"] = [];
  for (const [name, kind, time] of TABLES) {
    const table = await source.table(name, "name");
    if (!table || !matches) continue;
    const times = numbers(table, time);
    texts(table, "name").forEach((one, row) => {
      if (matches(one)) matching.push([one, kind, times[row] ?? 0]);
    });
  }
  matching.sort((one, other) => other[2] - one[2] || (one[0] < other[0] ? -1 : 1));
  const distinct = [...new Map(matching.reverse().map((one) => [one[0], one])).values()];
  distinct.sort((one, other) => other[2] - one[2] || (one[0] < other[0] ? -1 : 1));
  return { result: { names: distinct.slice(0, limit), total: distinct.length }, buffers: [] };
}
