/** `FileCheck`: asks Python periodically whether files were added, changed or deleted. */
import type { Changes } from "../protocol/protocol";
import type { Router } from "../protocol/router";
import { signal } from "./signals";

const EVERY = 30_000;
/** Delay of a second check if files may still be written, ms. */
const AGAIN = 5_000;

/** One for each model. It asks only while the page is visible and no other request is pending. */
export class FileCheck {
  #words = signal("");
  #timer: ReturnType<typeof setTimeout> | undefined;
  #next = 0;
  /** Whether Python has refused to check, or failed. */
  #off = false;

  constructor(
    private readonly router: Router,
    private readonly life: AbortSignal,
  ) {
    const look = () => this.#plan(this.#next - Date.now());
    document.addEventListener("visibilitychange", look, { signal: life });
    life.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
    this.restart();
  }

  /** The changes that a refresh would show, such as "2 new files"; empty without any. */
  get words(): string {
    return this.#words.value;
  }

  /** Begin anew, after a refresh. */
  restart(): void {
    this.#off = false;
    this.#words.value = "";
    this.#plan(EVERY);
  }

  #plan(delay: number): void {
    clearTimeout(this.#timer);
    if (this.#off || this.life.aborted) return;
    this.#next = Date.now() + delay;
    this.#timer = setTimeout(() => void this.#ask(delay === AGAIN), Math.max(0, delay));
  }

  async #ask(isAgain: boolean): Promise<void> {
    const { router } = this;
    if (document.visibilityState !== "visible") return; // planned again when it becomes visible
    let delay = EVERY;
    if (router.connected && router.heard && !router.busy) {
      const round = this.#timer;
      try {
        const { result } = await router.request<Changes>("changes");
        if (round !== this.#timer) return; // a refresh has happened meanwhile
        this.#off = !result.checked;
        this.#words.value = result.words;
        if (result.settling && !isAgain) delay = AGAIN;
      } catch {
        this.#off = router.connected; // an error is not repeated; a lost connection returns
      }
    }
    this.#plan(delay);
  }
}
