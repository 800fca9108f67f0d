/** Returns a custom view's own figures from saved state; its cards and tables need no code here. */
import type { Figure } from "../../core/protocol/protocol";
import type { OfflinePart, Question } from "../../offline/offlinepart";

/** A stored figure, in the order of the parts, or why it is missing; `saved/view_parts.py` writes it. */
interface KeptFigure {
  name: string;
  words: string;
}

const FILTERED = "This figure needs Python to apply a filter.";

async function charts({ saved, underSavedFilter, params }: Question) {
  const entry = `figures:${params.view}`;
  const figures: Record<string, Figure> = {};
  let part = 0;
  for (const { name, words } of saved.about<KeptFigure[]>(entry) ?? []) {
    const bytes = words ? undefined : await saved.bytes(entry, part++);
    const item = bytes && (JSON.parse(new TextDecoder().decode(bytes)) as Figure);
    figures[name] = underSavedFilter && item ? item : { words: words || FILTERED };
  }
  return figures;
}

export default { charts } satisfies OfflinePart;
