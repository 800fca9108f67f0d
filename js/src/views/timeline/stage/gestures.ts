/** Helpers for pointer gestures: listen to pointer events, capture the pointer, tell clicks from drags. */

type Handlers = {
  [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void;
};

/** A shorter movement, px, is a click. */
export const CLICK = 4;

/** Listen to gestures until the signal; vertical moves of one finger still scroll the page. */
export function listen(el: HTMLElement, signal: AbortSignal, handlers: Handlers): void {
  for (const [name, handler] of Object.entries(handlers))
    el.addEventListener(name, handler as EventListener, { signal, passive: false });
  el.style.touchAction = "pan-y";
}

/** Send all events of a pointer to an element until it is released. */
export function capture(el: HTMLElement, pointer: number): void {
  try {
    el.setPointerCapture(pointer);
  } catch {
    // The pointer is already gone, or synthetic.
  }
}
