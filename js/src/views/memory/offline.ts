/** Memory without Python: what there is of it, and its curves. */
import type { Answer } from "../../offline/answerer";
import { memory as answer } from "../../offline/memory";
import { drawMemoryView } from "../../offline/memorycharts";
import type { OfflinePart, OwnQuestion, Question } from "../../offline/part";

async function memory(question: OwnQuestion): Promise<Answer> {
  const { snapshot, source, params } = question;
  const { result, buffers } = await answer(snapshot, source, params);
  const drawn = (await question.figures()).memory ?? null;
  const { plane = null } = (drawn ?? {}) as { plane?: unknown };
  return { result: { ...result, figure: drawn, plane }, buffers };
}

async function charts({ snapshot, source, params, look }: Question) {
  return Object.fromEntries(await drawMemoryView(snapshot, source, params, look));
}

function lacks(_: unknown, what: string): string | undefined {
  return what === "range" ? "Narrowing memory to a range of time needs Python." : undefined;
}

export default { charts, operations: { memory }, lacks } satisfies OfflinePart;
