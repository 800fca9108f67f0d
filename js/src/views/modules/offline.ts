/** The flame graph without Python. */
import type { Snapshot } from "../../core/snapshot";
import { type Answer, NeedsPython } from "../../offline/answerer";
import { flame as answer, flameKey } from "../../offline/flame";
import type { OfflinePart, OwnQuestion } from "../../offline/part";

async function flame({ snapshot, source, kept, params }: OwnQuestion): Promise<Answer> {
  if (!kept) throw new NeedsPython(source.lacks?.("flame") ?? "That needs Python.");
  return answer(snapshot, params);
}

/** `flame:auto:<order>`: of the width that Python chose. */
function lacks(snapshot: Snapshot, what: string): string | undefined {
  const [, order] = /^flame:auto:(.*)$/.exec(what) ?? [];
  if (order === undefined) return undefined;
  return snapshot.has(flameKey(snapshot, "auto", order)) ? "" : "It is not in the snapshot.";
}

export default { operations: { flame }, lacks } satisfies OfflinePart;
