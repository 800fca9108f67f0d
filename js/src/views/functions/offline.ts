/** Answers for the functions view without Python: the icicle chart, callers and callees. */

import { graph } from "../../flames/offlineflame";
import { type Answer, NeedsPython } from "../../offline/answerer";
import type { OfflinePart, OfflineTables, OwnQuestion } from "../../offline/offlinepart";
import { type StoredTable, take, texts } from "../../offline/tables/tables";

const COLUMNS = { callers: ["callee", "caller"], callees: ["caller", "callee"] } as const;

interface Calls {
  of: string;
  side: keyof typeof COLUMNS;
}

async function icicle({ saved, source, underSavedFilter, params }: OwnQuestion): Promise<Answer> {
  if (!underSavedFilter) throw new NeedsPython(source.lacks?.("icicle") ?? "This needs Python.");
  const names = (params.selected as string[] | undefined) ?? [];
  const selected = [...names, ...names.map((name) => `${name} ↻`)];
  return graph(saved, "icicle", { ...params, selected });
}

/** The callers or callees of a function, named in the column `name`. */
function callsOf(table: StoredTable, { of, side }: Calls): StoredTable {
  const [own, other] = COLUMNS[side];
  const found = texts(table, own).flatMap((name, row) => (name === of ? [row] : []));
  const { columns, ...rest } = take(table, found);
  const kept = columns.filter(({ name }) => name !== own);
  return {
    ...rest,
    columns: kept.map((one) => (one.name === other ? { ...one, name: "name" } : one)),
  };
}

const tables: OfflineTables = {
  function_callers: {
    subject: "Callers",
    narrow: (_, table, { calls }) => (calls ? callsOf(table, calls as Calls) : table),
    isNarrowed: (_, { calls }) => calls !== undefined,
    more: async (_, __, { calls }) => (calls ? { keys: ["name"] } : {}),
  },
  icicle: { subject: "The icicle chart" },
};

export default { tables, operations: { icicle } } satisfies OfflinePart;
