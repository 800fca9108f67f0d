/** Watches whether an element is laid out, and the pixel ratio of the screen. */

/** Call `changed` when an element enters or leaves the layout, or when the pixel ratio changes. */
export function watchScreen(
  element: HTMLElement,
  signal: AbortSignal,
  changed: (seen: boolean) => void,
): void {
  let seen = true;
  const observer = new ResizeObserver(([entry]) => {
    const now = (entry?.contentRect.width ?? 0) > 0;
    if (now === seen) return;
    seen = now;
    changed(seen);
  });
  observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect(), { once: true });
  // A media query matches one ratio only, so each change needs a new one.
  const watchRatio = () => {
    const query = globalThis.matchMedia?.(`(resolution: ${devicePixelRatio}dppx)`);
    query?.addEventListener?.(
      "change",
      () => {
        changed(seen);
        watchRatio();
      },
      { once: true, signal },
    );
  };
  watchRatio();
}
