/**
 * `KeyQueue`: runs the actions of keys in the order in which they were pressed.
 *
 * Some keys need a reply that may still be pending, such as the launch of the selected slice. They
 * and all later keys wait for it, so that no key is lost however fast one types.
 */

/** Maximum number of waiting keys; more are pressed only by an object lying on the keyboard. */
const MOST = 100;

interface Pressed {
  act(): unknown;
  /** Whether the data that the action needs has arrived. */
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

  /** Run the waiting actions that are ready; to be called after each change of the state. */
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
