/** Answers for the distributed view without Python: the workers of a run. */
import { type Answer, NeedsPython } from "../../offline/answerer";
import type { OfflinePart, OwnQuestion } from "../../offline/offlinepart";

async function distributed({
  saved,
  underSavedFilter,
  figures,
  cards,
}: OwnQuestion): Promise<Answer> {
  const about = saved.about<Record<string, unknown>>("distributed");
  if (!about || !underSavedFilter) throw new NeedsPython("Comparing workers needs Python.");
  const drawn = await figures();
  const { cards: described, buffers } = await cards(1);
  const devices = (await saved.bytes("distributed")) ?? new Uint8Array();
  return {
    result: { ...about, figures: drawn, cards: described },
    buffers: [devices, ...buffers],
  };
}

export default { operations: { distributed } } satisfies OfflinePart;
