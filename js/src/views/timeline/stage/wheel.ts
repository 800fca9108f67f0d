/** What a turn of the wheel does: with Ctrl or ⌘ it zooms, with Shift it pans, else the page scrolls. */

/** Pixels of one line of a wheel that counts in lines. */
const LINE = 16;
const PAGE = 400;
/** How much a pixel zooms; a notch of 100 px changes the length by a third. */
const ZOOM = 0.003;
/** A pinch comes as small turns of the wheel with Ctrl. */
const PINCH = 0.01;

export type Turn = { zoom: number } | { pan: number };

/** Null where the wheel belongs to the page. */
export function turnOf(event: WheelEvent): Turn | null {
  const unit = event.deltaMode === 1 ? LINE : event.deltaMode === 2 ? PAGE : 1;
  const down = event.deltaY * unit;
  if (event.ctrlKey || event.metaKey) {
    const small = event.ctrlKey && event.deltaMode === 0 && Math.abs(down) < 40;
    return { zoom: Math.exp(-down * (small ? PINCH : ZOOM)) };
  }
  // Some systems turn the wheel sideways themselves while Shift is held.
  if (event.shiftKey) return { pan: down || event.deltaX * unit };
  return null;
}
