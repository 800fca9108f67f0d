/**
 * One part of the screen that Python fills, and what stands there meanwhile.
 *
 * The last result stays, at first as it is, after 0.1 s faded; without one, words and bones come
 * after 0.3 s. An error stands in place; the other parts go on.
 */

import { bones, button, emptyState, errorState, link } from "../parts/states";
import { copyText } from "./clipboard";
import type { Context } from "./context";
import { fill } from "./dom";
import type { Progress } from "./protocol";
import { type Options, RequestFailed, Superseded } from "./rpc";
import { canonical } from "./snapshot";

/** Whoever drags or types changes filters faster than this, ms; only where they come to rest is asked for. */
const CALM = 50;
const STALE = 100;
const LOADING = 300;
const BUSY = 500;

export class Loader {
  readonly el: HTMLElement;
  /** What the last question was about; the same is not asked twice. */
  key = "";
  #status: HTMLElement;
  #state: HTMLElement;
  #loaded = false;
  #turn = 0;
  /** Python was not there when the last question was asked. */
  #alone = false;
  #timers: ReturnType<typeof setTimeout>[] = [];
  #onLine = false;
  #heard = false;
  #stop: AbortController | null = null;

  /**
   * @param slot - newer requests of one slot replace older ones
   * @param what - what is computed: "the operators"
   */
  constructor(
    private readonly ctx: Context,
    private readonly slot: string,
    private readonly what: string,
    private readonly content: HTMLElement,
  ) {
    const { h } = ctx;
    this.#status = h("div", { class: "nbp-status", hidden: true });
    this.#state = h("div", { hidden: true });
    content.hidden = true;
    this.el = h("div", { class: "nbp-loader" }, this.#status, this.#state, content);
    ctx.signal.addEventListener("abort", () => this.#clear(), { once: true });
  }

  get loaded(): boolean {
    return this.#loaded;
  }

  /** Ask only what was not asked last; tell whether that was so. */
  need<T>(
    key: string,
    scope: string,
    ask: (options: Options) => Promise<T>,
    show: (result: T) => void,
  ): boolean {
    const { connected } = this.ctx.session.router;
    // What was answered without Python is asked again once it is back.
    if (key === this.key && !(connected && this.#alone)) return false;
    this.key = key;
    this.#alone = !connected;
    void this.load(scope, ask, show);
    return true;
  }

  /** Ask Python, then show the answer unless another question came since. */
  async load<T>(
    scope: string,
    ask: (options: Options) => Promise<T>,
    show: (result: T) => void,
  ): Promise<void> {
    const turn = ++this.#turn;
    const again = () => void this.load(scope, ask, show);
    this.#clear();
    this.#heard = false;
    this.el.dataset.asking = ""; // before anybody sees that it is busy
    this.#stop = new AbortController();
    const signal = AbortSignal.any?.([this.ctx.signal, this.#stop.signal]) ?? this.ctx.signal;
    this.#timers = [
      setTimeout(() => this.#showStale(scope), STALE),
      setTimeout(() => this.#showLoading(again), LOADING),
      setTimeout(() => this.#showBusy(scope), BUSY),
    ];
    const onProgress = (progress: Progress) => this.#showProgress(progress);
    try {
      if (this.#loaded) await new Promise((calm) => setTimeout(calm, CALM));
      if (turn !== this.#turn || signal.aborted) return;
      const result = await ask({ slot: `${this.ctx.id}:${this.slot}`, signal, onProgress });
      if (turn !== this.#turn) return;
      this.#clear();
      this.#state.hidden = true;
      this.el.removeAttribute("data-refused");
      this.content.hidden = false; // what is shown may measure itself
      show(result);
      this.#loaded = true;
    } catch (error) {
      if (turn !== this.#turn || error instanceof Superseded) return;
      this.#clear();
      // Once the kernel is back, whoever comes next asks anew.
      if (!this.ctx.session.router.connected) this.key = "";
      this.#showError(error, again);
    }
  }

  /** Show the content, which holds something that Python was not asked for. */
  present(): void {
    this.#clear();
    this.#state.hidden = true;
    this.el.removeAttribute("data-refused");
    this.content.hidden = false;
    this.#loaded = true;
  }

  #clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
    this.content.classList.remove("nbp-stale");
    delete this.el.dataset.asking;
    this.#status.hidden = true;
    this.el.removeAttribute("aria-busy");
    if (this.#onLine) this.ctx.progress.end();
    this.#onLine = false;
  }

  #showStale(scope: string): void {
    this.el.setAttribute("aria-busy", "true");
    if (!this.#loaded) return;
    this.content.classList.add("nbp-stale");
    this.#say(`Computing ${this.what} ${scope}`.trim());
  }

  #showLoading(again: () => void): void {
    this.ctx.progress.begin();
    this.#onLine = true;
    if (this.#loaded) return;
    const { h } = this.ctx;
    const stop = button(h, "Stop", () => this.#stopWaiting(again));
    fill(this.#state, bones(h, `Reading ${this.what}`, stop));
    this.#state.hidden = false;
  }

  #showBusy(scope: string): void {
    if (this.#heard) return;
    this.#say(`Computing ${this.what} ${scope}. Kernel busy.`);
  }

  #showProgress({ text, done, total }: Progress): void {
    this.#heard = true;
    if (total > 0) this.ctx.progress.at(done / total);
    this.#say(text);
  }

  #say(text: string): void {
    this.#status.textContent = text;
    this.#status.toggleAttribute("data-over", this.#loaded);
    this.#status.hidden = false;
  }

  /** A way to what was kept, where a filter stands before it. */
  #unfiltered(): HTMLElement | null {
    const { h, session } = this.ctx;
    const kept = session.kept?.snapshot.header.filter;
    if (!kept || canonical(kept) === canonical(session.state.filter)) return null;
    const way = link(h, "Show it without this filter", () => session.showKept());
    way.dataset.offline = "";
    return way;
  }

  /** Python goes on with what it does; only nobody waits for it. */
  #stopWaiting(again: () => void): void {
    this.#turn += 1;
    this.#stop?.abort();
    this.#clear();
    const { h } = this.ctx;
    fill(
      this.#state,
      h(
        "div",
        { class: "nbp-state" },
        h("strong", {}, `Stopped waiting for ${this.what}`),
        h("div", { class: "nbp-actions" }, button(h, "Read again", again, "primary")),
      ),
    );
  }

  #showError(error: unknown, again: () => void): void {
    const { h, session } = this.ctx;
    // The banner says that the kernel is gone; the last results stay as they are.
    if (!session.router.connected && this.#loaded && !session.answersAlone) return;
    const wire =
      error instanceof RequestFailed
        ? error.wire
        : { type: "Error", message: String(error), hint: "Read again.", details: stackOf(error) };
    const copy = () => {
      const text = [`${wire.type}: ${wire.message}`, wire.hint, wire.details].join("\n").trim();
      void copyText(text).then(() => this.ctx.announce("Details copied"));
    };
    const alone = wire.type === "NeedsPython";
    const way = alone ? this.#unfiltered() : null;
    // What stands over and under it has nothing to act on; the way out is here.
    this.el.toggleAttribute("data-refused", way !== null);
    const shown = alone
      ? emptyState(h, wire.message, session.again, way)
      : errorState(h, this.what, wire, again, copy);
    fill(this.#state, shown);
    this.#state.hidden = false;
    this.content.hidden = true;
    this.#loaded = false;
    this.ctx.announce(`Error: ${wire.message}`);
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? "") : "";
}
