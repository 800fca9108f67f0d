/** Whether something is on the screen at all, and how fine that screen is. */

/** Call back when an element comes into the layout or leaves it, and when pixels have another size. */
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
  // A query holds for one ratio only: another screen, or another zoom, needs another.
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
