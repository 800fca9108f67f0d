/** Reads the list of profiles and the facts of the trace on screen, from Python or the saved state. */

import type { Context } from "../core/context";
import type { Catalog, TraceInfo } from "../core/protocol/protocol";
import { Superseded } from "../core/protocol/router";
import { hasBytes } from "../core/saved/opening";
import { signal, untracked, watch } from "../core/state/signals";
import { skeleton } from "../parts/states";
import { noProfiles } from "./noprofiles";
import { nothingKept, savedStart } from "./savedstart";
import { factsText } from "./warnings";

/** Time without a message from Python after which the saved state is shown, ms. */
const PATIENCE = 1500;
/** Delay before a placeholder is shown while reading, ms. */
const PATIENT = 300;

/** The parts of the screen that the reader updates. */
interface Screen {
  say(content: HTMLElement | null): void;
  sayError(what: string, error: unknown, again: () => void): void;
  /** Show the files and events that were skipped while reading. */
  details(): void;
  /** Called when another trace is read. */
  left(): void;
}

export class ProfileReader {
  readonly catalog = signal<Catalog | null>(null);
  readonly info = signal<TraceInfo | null>(null);
  /** Whether catalog and trace come from the saved state. */
  #fromSaved = false;
  /** Key of the trace that was read last or is being read; empty to read it again. */
  #traceKey = "";
  /** Key of the trace on screen, which a refresh reads again. */
  #lastKey = "";
  /** Whether Python has sent the list of profiles. */
  #heard = false;
  /** Whether the request for the list of profiles is pending. */
  #starting = false;

  constructor(
    private readonly ctx: Context,
    private readonly screen: Screen,
  ) {
    let seen = ctx.session.refreshed;
    watch(() => {
      const { refreshed } = ctx.session;
      if (refreshed === seen) return;
      seen = refreshed;
      this.#traceKey = "";
      untracked(() => void this.start());
    }, ctx.signal);
  }

  /** Request the list of profiles. */
  async start(): Promise<void> {
    const { ctx, screen } = this;
    const saved = hasBytes(ctx.session.get("snapshot"));
    const words = saved ? "Loading the saved view" : "Looking for profiles";
    const wait = setTimeout(() => screen.say(skeleton(ctx.h, words)), PATIENT);
    const late = setTimeout(() => void this.#startOffline(), PATIENCE);
    this.#starting = true;
    try {
      const catalog = await ctx.session.catalog();
      if (ctx.signal.aborted) return;
      this.#heard = true;
      if (this.#fromSaved) this.#traceKey = ""; // read it again from Python
      this.#fromSaved = false;
      if (catalog.runs.length === 0) {
        const again = () => void this.refresh();
        screen.say(noProfiles(ctx.h, catalog, again, () => screen.details()));
      }
      this.catalog.value = { ...catalog };
    } catch (error) {
      if (await this.#startOffline()) return;
      screen.sayError("the list of profiles", error, () => void this.start());
    } finally {
      this.#starting = false;
      clearTimeout(wait);
      clearTimeout(late);
    }
  }

  /** Read the chosen trace, unless it was read last. */
  follow(): void {
    const { session } = this.ctx;
    const { traceKey, router } = session;
    if (router.connected && this.#fromSaved && !this.#starting) untracked(() => void this.start());
    const there = this.catalog.value?.runs.length;
    if (there && router.connected && traceKey !== this.#traceKey)
      untracked(() => void this.#readTrace());
  }

  /** Try to reach Python again; read the trace again once it answers. */
  async retry(): Promise<void> {
    const { session, announce } = this.ctx;
    if (await session.connection.retry()) this.#traceKey = "";
    else announce("Still disconnected");
  }

  /** Start from the saved state; return whether there is one. */
  async #startOffline(): Promise<boolean> {
    const { ctx, screen } = this;
    const { session, signal } = ctx;
    const start = await savedStart(session);
    if (signal.aborted || this.#heard) return false;
    if (!start) {
      screen.say(nothingKept(ctx));
      return session.unreadable !== "";
    }
    if (this.#fromSaved) return true;
    this.#traceKey = session.traceKey;
    this.catalog.value = start.catalog;
    this.info.value = start.trace;
    this.#fromSaved = true;
    // In a notebook the kernel may be busy and still answer.
    if (session.model.page) session.router.disconnect();
    else session.router.standIn();
    return true;
  }

  async #readTrace(): Promise<void> {
    const { ctx, screen } = this;
    const { h, session, progress } = ctx;
    const key = session.traceKey;
    this.#traceKey = key;
    if (key !== this.#lastKey) screen.left();
    this.#lastKey = key;
    const { worker } = session.state;
    let title: HTMLElement | null = null;
    const wait = setTimeout(() => {
      progress.begin();
      title = h("p", { class: "nbp-muted" });
      const box = skeleton(h, `Reading ${worker || "the profile"}`);
      box.children[0]?.after(title);
      if (!this.info.peek()) screen.say(box);
    }, PATIENT);
    try {
      const info = await session.trace(({ text, done, total }) => {
        if (total > 0) progress.at(done / total);
        if (title) title.textContent = text;
      });
      if (key !== session.traceKey || ctx.signal.aborted) return;
      screen.say(null);
      this.info.value = info;
      ctx.announce(factsText(info));
    } catch (error) {
      if (error instanceof Superseded) return;
      await this.#listAgain();
      if (key !== session.traceKey) return;
      this.#traceKey = ""; // the next call reads again
      if (this.info.peek() && !session.router.connected) return;
      this.info.value = null;
      screen.sayError("the profile", error, () => this.follow());
    } finally {
      clearTimeout(wait);
      if (title) progress.end();
    }
  }

  async #listAgain(): Promise<void> {
    const { session } = this.ctx;
    if (!session.router.connected) return;
    const listed = await session.catalog().catch(() => null);
    if (listed?.runs.length) this.catalog.value = listed;
  }

  /** Look for files again, and update the screen. */
  async refresh(): Promise<void> {
    try {
      await this.ctx.session.refresh();
    } catch (error) {
      this.screen.sayError("the list of profiles", error, () => void this.refresh());
    }
  }
}
