/** `dropAt`: finds the new position of a lane or group that is dragged among its siblings. */

interface Extent {
  key: string;
  /** CSS px from the top of the canvas. */
  top: number;
  bottom: number;
}

interface Drop {
  /** The sibling that will follow it; null at the end. */
  before: string | null;
  /** The y of the mark between its new neighbours. */
  y: number;
}

/**
 * Return the new position of a dragged item; null if it does not change.
 *
 * The item takes the place of the sibling under the pointer, whatever the sibling's height.
 *
 * @param siblings - from top to bottom, with the dragged one
 * @param y - of the pointer
 */
export function dropAt(siblings: readonly Extent[], dragged: string, y: number): Drop | null {
  const own = siblings.findIndex(({ key }) => key === dragged);
  const under = siblings.findIndex(({ bottom }) => y < bottom);
  const at = under < 0 ? siblings.length - 1 : under;
  const over = siblings[at];
  if (own < 0 || at === own || !over) return null;
  if (at < own) return { before: over.key, y: over.top };
  return { before: siblings[at + 1]?.key ?? null, y: over.bottom };
}
