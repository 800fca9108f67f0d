/**
 * Runs the actions of keys in the order in which they were pressed.
 *
 * What some keys do depends on a reply that may still be on its way, such as where the selected slice
 * was launched. They and all later keys wait for it, so that none is lost however fast one types.
 */

/** More keys are those of something that lies on the keyboard. */
const MOST = 100;

interface Pressed {
  act(): unknown;
  /** Whether all that the action depends on is there. */
  ready(): boolean;
}

export class KeyQueue {
  #waiting: Pressed[] = [];
  #taking = false;

  /** Run an action now, or after the earlier ones and once it is ready. */
  press(act: () => unknown, ready: () => boolean): void {
    if (this.#waiting.length < MOST) this.#waiting.push({ act, ready });
    this.take();
  }

  /** Run what waits and is ready; to be called whenever something has changed. */
  take(): void {
    if (this.#taking) return; // an action has changed something itself
    this.#taking = true;
    try {
      while (this.#waiting[0]?.ready()) this.#waiting.shift()?.act();
    } finally {
      this.#taking = false;
    }
  }

  /** Drop the keys that wait. */
  clear(): void {
    this.#waiting = [];
  }
}
