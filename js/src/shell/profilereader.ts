/** Reads the list of profiles and the facts of the trace on screen, from Python or the saved state. */

import type { Context } from "../core/context";
import type { Catalog, TraceInfo } from "../core/protocol/protocol";
import { Superseded } from "../core/protocol/router";
import { signal, untracked } from "../core/state/signals";
import { skeleton } from "../parts/states";
import { noProfiles } from "./noprofiles";
import { nothingKept, savedStart } from "./savedstart";
import { factsText } from "./warnings";

/** Time without any message after which the kernel is taken for absent, ms. */
const PATIENCE = 1500;
/** Delay before a placeholder is shown while reading, ms. */
const PATIENT = 300;

/** What the reader displays on the screen. */
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
  /** Whether Python has sent the list of profiles. */
  #heard = false;

  constructor(
    private readonly ctx: Context,
    private readonly screen: Screen,
  ) {}

  /** Request the list of profiles. */
  async start(): Promise<void> {
    const { ctx, screen } = this;
    const wait = setTimeout(() => screen.say(skeleton(ctx.h, "Looking for profiles")), PATIENT);
    const late = setTimeout(() => void this.#startAlone(), PATIENCE);
    try {
      const catalog = await ctx.session.catalog();
      if (ctx.signal.aborted) return;
      this.#heard = true;
      if (this.#fromSaved) this.#traceKey = ""; // read it again from Python
      this.#fromSaved = false;
      if (catalog.runs.length === 0) {
        const again = () => void this.#refresh();
        screen.say(noProfiles(ctx.h, catalog, again, () => screen.details()));
      }
      this.catalog.value = { ...catalog };
    } catch (error) {
      if (await this.#startAlone()) return;
      screen.sayError("the list of profiles", error, () => void this.start());
    } finally {
      clearTimeout(wait);
      clearTimeout(late);
    }
  }

  /** Read the chosen trace, unless it was read last. */
  follow(): void {
    const { session } = this.ctx;
    const { traceKey } = session;
    const there = this.catalog.value?.runs.length;
    if (there && session.router.connected && traceKey !== this.#traceKey)
      untracked(() => void this.#readTrace());
  }

  /** Try to reach Python again. */
  async retry(): Promise<void> {
    try {
      await this.ctx.session.router.request("hello");
      this.#traceKey = "";
    } catch {
      this.ctx.announce("Still disconnected");
    }
  }

  /** Start from the saved state; return whether there is one. */
  async #startAlone(): Promise<boolean> {
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
    // Some hosts accept messages that no kernel will answer; any reply shows that there is one.
    session.router.disconnect();
    if (!session.model.page)
      session.router.request("hello").then(
        () => void this.start(),
        () => {},
      );
    return true;
  }

  async #readTrace(): Promise<void> {
    const { ctx, screen } = this;
    const { h, session, progress } = ctx;
    const key = session.traceKey;
    this.#traceKey = key;
    screen.left();
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
      if (key !== session.traceKey || error instanceof Superseded) return;
      this.#traceKey = ""; // the next call reads again
      if (this.info.peek() && !session.router.connected) return;
      this.info.value = null;
      screen.sayError("the profile", error, () => this.follow());
    } finally {
      clearTimeout(wait);
      if (title) progress.end();
    }
  }

  async #refresh(): Promise<void> {
    try {
      await this.ctx.session.refresh();
    } catch (error) {
      this.screen.sayError("the list of profiles", error, () => void this.#refresh());
      return;
    }
    await this.start();
  }
}
