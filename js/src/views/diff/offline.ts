/** The tables of the diff view without Python: the order of rows, and the tree. */
import type { Diff, Page } from "../../core/protocol/protocol";
import { type Answer, NeedsPython } from "../../offline/answerer";
import type { Filtering, OfflinePart, OfflineTables, OwnQuestion } from "../../offline/offlinepart";
import { matcher } from "../../offline/tables/match";
import { searchRows, sortRows } from "../../offline/tables/order";
import { type StoredTable, take, texts } from "../../offline/tables/tables";
import type { TreeExpansion } from "../../table/pagestore";
import { treeLines } from "../../trees/offlinetree";
import type { Later } from "./later/index";

const tools = { matcher, refuse: (message: string) => new NeedsPython(message) };

/** The second script of the view, which compares under other filters. */
const LATER = "diff.later";

async function under(whole: StoredTable, filtering: Filtering, word: string, subject: string) {
  const { tableUnder } = await filtering.load<Later>(LATER);
  return tableUnder(whole, filtering, word, subject, tools);
}

async function diff({ saved, underSavedFilter, params, load }: OwnQuestion): Promise<Answer> {
  const whole = saved.about<Diff>("diff");
  if (!whole) throw tools.refuse("The differences are not in the saved state.");
  if (underSavedFilter) return { result: { ...whole }, buffers: [] };
  const { filter = {} } = params.state as { filter?: Partial<Filtering> };
  const { overviewUnder } = await load<Later>(LATER);
  const result = await overviewUnder(
    saved,
    { steps: filter.steps ?? null, name: filter.name ?? "" },
    tools,
  );
  return { result: { ...result }, buffers: [] };
}

const TREE = "The tree of both sides";
const ENDS = ["added", "removed"];

const tables: OfflineTables = {
  differences: {
    subject: "Differences",
    followsNames: true,
    under: (table, filtering) => under(table, filtering, table.about.group_by, "These differences"),
    lines: (table, { ends, search }, sort) => {
      if (!ends) return undefined;
      const changes = texts(table, "change");
      const isEnd = (row: number) => ENDS.includes(changes[row] ?? "");
      const rows = sortRows(table, searchRows(table, String(search ?? "")), sort);
      const parts = [rows.filter(isEnd), rows.filter((row) => !isEnd(row))];
      return take(table, (ends === "first" ? parts : parts.reverse()).flat());
    },
  },
  diff_tree: {
    subject: TREE,
    followsNames: true,
    under: (table, filtering) => under(table, filtering, "tree", TREE),
    lines: (table, { tree }, sort) =>
      tree
        ? treeLines(
            table,
            tree as TreeExpansion,
            sort,
            "row",
            "parent",
            (table.about.more as Partial<Page> | undefined)?.path,
          )
        : undefined,
  },
};

export default { tables, operations: { diff } } satisfies OfflinePart;
