/** Interprets a turn of the wheel: Ctrl or ⌘ zooms, Shift pans, otherwise the page scrolls. */

/** Pixels per line, for wheels that report lines. */
const LINE = 16;
const PAGE = 400;
/** Zoom per pixel; a notch of 100 px changes the window's length by a third. */
const ZOOM = 0.003;
/** Zoom per pixel of a pinch, which arrives as small turns of the wheel with Ctrl. */
const PINCH = 0.01;

type Turn = { zoom: number } | { pan: number };

/** Return the zoom or pan of a wheel event; null where the page scrolls. */
export function turnOf(event: WheelEvent): Turn | null {
  const unit = event.deltaMode === 1 ? LINE : event.deltaMode === 2 ? PAGE : 1;
  const down = event.deltaY * unit;
  if (event.ctrlKey || event.metaKey) {
    const small = event.ctrlKey && event.deltaMode === 0 && Math.abs(down) < 40;
    return { zoom: Math.exp(-down * (small ? PINCH : ZOOM)) };
  }
  // Some systems report a horizontal wheel while Shift is held.
  if (event.shiftKey) return { pan: down || event.deltaX * unit };
  return null;
}
