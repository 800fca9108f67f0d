/**
 * `Loader`: requests the content of one part of the screen, and shows progress and errors there.
 *
 * While a request runs, the last result stays and fades after 0.1 s; without one, a placeholder
 * appears after 0.3 s. An error replaces the content of this part only.
 */

import { button, emptyState, errorState, link, skeleton } from "../parts/states";
import { copyText } from "./clipboard";
import type { Context } from "./context";
import { fill } from "./dom";
import type { Progress } from "./protocol/protocol";
import { type Options, RequestFailed, Superseded } from "./protocol/router";
import { sameValue } from "./state/equality";
import { signal, untracked } from "./state/signals";

/** Delay before a request, ms: while dragging and typing, only the last filter is requested. */
const CALM = 50;
/** Until then an answer is expected and old results stay as they are: to dim them costs several frames. */
const LOADING = 300;
const BUSY = 500;

export class Loader {
  readonly el: HTMLElement;
  #status: HTMLElement;
  #state: HTMLElement;
  #loaded = false;
  /** The last query; an equal one is not sent again. */
  #query: unknown;
  /** The number of replies shown; code that reads it runs again after the next reply. */
  #answers = signal(0);
  #turn = 0;
  /** Whether the last query was sent while Python was unreachable. */
  #sentOffline = false;
  #timers: ReturnType<typeof setTimeout>[] = [];
  #onLine = false;
  #heard = false;
  #stop: AbortController | null = null;

  /**
   * @param slot - newer requests of one slot replace older ones
   * @param what - the data being computed: "the operators"
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

  /**
   * Send a query unless it equals the last one; return whether it was sent. A watched caller is
   * called again after the reply.
   *
   * @param query - the query, which is passed to `ask`
   * @param show - displays the reply
   */
  need<Q, T>(
    query: Q,
    scope: string,
    ask: (query: Q, options: Options) => Promise<T>,
    show: (result: T, query: Q) => void,
  ): boolean {
    void this.#answers.value;
    const { connected } = this.ctx.session.router;
    // Replies made without Python are requested again once Python is back.
    if (sameValue(query, this.#query) && !(connected && this.#sentOffline)) return false;
    this.#query = query;
    this.#sentOffline = !connected;
    const asked = (options: Options) => ask(query, options);
    untracked(() => void this.#load(scope, asked, (result) => show(result, query)));
    return true;
  }

  /** Ask Python, then show the reply unless a newer query was sent since. */
  async #load<T>(
    scope: string,
    ask: (options: Options) => Promise<T>,
    show: (result: T) => void,
  ): Promise<void> {
    const turn = ++this.#turn;
    const again = () => void this.#load(scope, ask, show);
    this.#clear();
    this.#heard = false;
    this.el.dataset.asking = ""; // before the busy state is visible
    this.#stop = new AbortController();
    const signal = AbortSignal.any?.([this.ctx.signal, this.#stop.signal]) ?? this.ctx.signal;
    this.#timers = [
      setTimeout(() => this.#showLoading(scope, again), LOADING),
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
      this.content.hidden = false; // the content may measure itself
      show(result);
      this.#loaded = true;
      this.#answers.value += 1;
    } catch (error) {
      if (turn !== this.#turn || error instanceof Superseded) return;
      this.#clear();
      // Once the kernel is back, the next call asks again.
      if (!this.ctx.session.router.connected) this.#query = undefined;
      this.#showError(error, again);
    }
  }

  /** Show content that needs no request. */
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

  #showLoading(scope: string, again: () => void): void {
    this.el.setAttribute("aria-busy", "true");
    this.ctx.progress.begin();
    this.#onLine = true;
    if (this.#loaded) {
      this.content.classList.add("nbp-stale");
      this.#say(`Computing ${this.what} ${scope}`.trim());
      return;
    }
    const { h } = this.ctx;
    const stop = button(h, "Stop", () => this.#stopWaiting(again));
    fill(this.#state, skeleton(h, `Reading ${this.what}`, stop));
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

  /** A link to the filter of the saved state, where another filter hides its content. */
  #unfiltered(): HTMLElement | null {
    const { h, session } = this.ctx;
    const kept = session.kept?.saved.header.filter;
    if (!kept || sameValue(kept, session.state.filter)) return null;
    const way = link(h, "Show it without this filter", () => session.showKept());
    way.dataset.offline = "";
    return way;
  }

  /** Stop waiting for the reply, although Python continues to work on it. */
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
        h("div", { class: "nbp-actions" }, button(h, "Try again", again, "primary")),
      ),
    );
  }

  #showError(error: unknown, again: () => void): void {
    const { h, session } = this.ctx;
    // The banner reports that the kernel is gone; the last results stay.
    if (!session.router.connected && this.#loaded && !session.answersOffline) return;
    const wire =
      error instanceof RequestFailed
        ? error.wire
        : { type: "Error", message: String(error), hint: "Try again.", details: stackOf(error) };
    const copy = () => {
      const text = [`${wire.type}: ${wire.message}`, wire.hint, wire.details].join("\n").trim();
      void copyText(text).then(() => this.ctx.announce("Details copied"));
    };
    const offline = wire.type === "NeedsPython";
    const way = offline ? this.#unfiltered() : null;
    // Disables the controls around it, which have no content to act on.
    this.el.toggleAttribute("data-refused", way !== null);
    const shown = offline
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
