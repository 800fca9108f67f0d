/**
 * Signals, in which the browser keeps its state: code that reads one runs again when it changes.
 *
 * Traits, the connection, the width and the user's input are signals. Values computed from them use
 * `derived`; code that draws uses `watch`.
 */
import { computed, effect, type ReadonlySignal } from "@preact/signals-core";
import { sameValue } from "./equality";

export {
  computed,
  effect,
  type ReadonlySignal,
  type Signal,
  signal,
  untracked,
} from "@preact/signals-core";

/** A value computed from signals; readers are notified only when its content changes. */
export function derived<T>(compute: () => T): ReadonlySignal<T> {
  let last: T | undefined;
  return computed(() => {
    const next = compute();
    if (!sameValue(last, next)) last = next;
    return last as T;
  });
}

/**
 * Run now, and again when a signal that it read changes: once for all changes of one task.
 *
 * A message from Python changes several traits one after the other; nothing is drawn in between.
 */
export function watch(run: () => void, until: AbortSignal): void {
  let dispose = () => {};
  const start = () => {
    dispose();
    if (until.aborted) return;
    let ran = false;
    dispose = effect(() => {
      if (ran) return queueMicrotask(start); // reads no signal, so it is not called again
      ran = true;
      try {
        run();
      } catch (error) {
        reportLater(error);
      }
    });
  };
  until.addEventListener("abort", () => dispose(), { once: true });
  start();
}

/** Report an error and keep watching: the next change may resolve it. */
function reportLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
