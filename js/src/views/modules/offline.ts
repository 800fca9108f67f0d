/** Answers for the modules view without Python: the flame graph and the tree of modules. */
import type { SavedState } from "../../core/saved/savedstate";
import { flame as answer, flameKey } from "../../flames/offlineflame";
import { type Answer, NeedsPython } from "../../offline/answerer";
import type { OfflinePart, OfflineTables, OwnQuestion } from "../../offline/offlinepart";
import type { TreeExpansion } from "../../table/pagestore";
import { treeLines } from "../../trees/offlinetree";

async function flame({ saved, source, underSavedFilter, params }: OwnQuestion): Promise<Answer> {
  if (!underSavedFilter) throw new NeedsPython(source.lacks?.("flame") ?? "This needs Python.");
  return answer(saved, params);
}

/** Why a flame graph is missing; `flame:auto:<order>` has the measure that Python chose. */
function lacks(saved: SavedState, what: string): string | undefined {
  const [, order] = /^flame:auto:(.*)$/.exec(what) ?? [];
  if (order === undefined) return undefined;
  return saved.has(flameKey(saved, "auto", order)) ? "" : "This is not in the saved state.";
}

const tables: OfflineTables = {
  modules: {
    subject: "Modules",
    lines: (table, { tree }, sort) =>
      tree ? treeLines(table, tree as TreeExpansion, sort) : undefined,
  },
  flame: { subject: "The flame graph" },
};

export default { tables, operations: { flame }, lacks } satisfies OfflinePart;
