/** One view on the screen: it puts the parts together and keeps them up to date. */

import { copyText } from "../core/clipboard";
import type { Context } from "../core/context";
import { fill, setAttributes } from "../core/dom";
import type { Catalog, TraceInfo } from "../core/protocol";
import { RequestFailed, Superseded } from "../core/rpc";
import type { ViewInfo } from "../core/viewinfo";
import { bones, button, errorState, link } from "../parts/states";
import { Banners } from "./banners";
import { Controls } from "./controls";
import { detailsPanel, factsText, warningsText } from "./details";
import { FilterBar } from "./filterbar";
import { keptStart, needsPython, nothingKept } from "./keptstart";
import { noProfiles } from "./noprofiles";
import { setOffline } from "./offline";
import { moduleOf, Panels } from "./panels";
import { Tabs } from "./tabs";
import { ViewSwitch } from "./viewswitch";

/** Time after which a kernel that has not said a word may not be there, ms. */
const PATIENCE = 1500;

export class Explorer {
  #controls: Controls;
  #filter: FilterBar;
  #tabs: Tabs;
  #banners: Banners;
  #facts: HTMLElement;
  #details: HTMLElement;
  #narrow: HTMLElement;
  #tabrow: HTMLElement;
  #fold: HTMLButtonElement;
  #state: HTMLElement;
  #panels: Panels;
  /** The script that was asked for last, and whether Python was there then. */
  #wanted = "";
  #switch: ViewSwitch;
  #catalog: Catalog | null = null;
  #info: TraceInfo | null = null;
  #traceKey = "";
  #folded = true;
  #detailsOpen = false;
  #offline = false;
  /** Catalog and trace are those that came with the notebook. */
  #fromSnapshot = false;
  /** Python has said which profiles there are. */
  #heard = false;
  /** Views that Python has filled. */
  #filled = new Set<string>();
  #moved = false;

  constructor(private readonly ctx: Context) {
    const { h, root, session } = ctx;
    this.#controls = new Controls(ctx, () => this.#panels.find(session.view)?.exports() ?? []);
    this.#filter = new FilterBar(ctx);
    this.#switch = new ViewSwitch(session);
    this.#tabs = new Tabs(ctx, (view) => this.#switch.goTo(view));
    this.#banners = new Banners(ctx, {
      details: () => this.#toggleDetails(true),
      retry: () => void this.#retry(),
    });
    this.#facts = h("span", { class: "nbp-facts" });
    this.#details = h("div", { hidden: true });
    this.#fold = button(h, "Filters ▾", () => {
      this.#folded = !this.#folded;
      this.update();
    });
    this.#narrow = h("div", { class: "nbp-bar" }, this.#tabs.select.el, this.#fold);
    this.#state = h("div", { class: "nbp-body", hidden: true });
    this.#panels = new Panels(ctx);
    this.#tabrow = h("div", { class: "nbp-tabrow" }, this.#tabs.el, this.#facts);
    // What a view shows stays readable without a kernel.
    for (const choice of [this.#tabs.el, this.#tabs.select.el]) choice.dataset.offline = "";
    root.append(
      ctx.progress.el,
      this.#banners.el,
      this.#controls.el,
      this.#narrow,
      this.#tabrow,
      this.#filter.el,
      this.#details,
      this.#state,
      this.#panels.el,
    );
    session.subscribe(() => this.update(), ctx.signal);
    this.#bring(session.view);
    void this.#start();
  }

  /** Bring everything up to date with the traits, the width and the theme. */
  update(): void {
    const { session } = this.ctx;
    this.#banners.update(this.#catalog);
    this.#controls.update();
    this.#tabs.update();
    this.#layOut();
    const { connected } = session.router;
    const other = session.traceKey !== this.#traceKey && this.#catalog?.runs.length;
    if (other && connected) void this.#readTrace();
    this.#filter.update();
    if (!connected && this.#fromSnapshot && !session.kept) void this.#goToWhatIsKept();
    if (this.#info) {
      this.#showPanel();
      this.#tabs.update(); // whose panel exists now
    }
    this.#setOffline(!connected);
  }

  async #start(): Promise<void> {
    const { h } = this.ctx;
    const wait = setTimeout(() => this.#say(bones(h, "Looking for profiles")), 300);
    const late = setTimeout(() => void this.#startAlone(), PATIENCE);
    try {
      this.#catalog = await this.ctx.session.catalog();
      if (this.ctx.signal.aborted) return;
      this.#heard = true;
      if (this.#fromSnapshot) this.#traceKey = ""; // Python knows better
      this.#fromSnapshot = false;
      this.#controls.setCatalog(this.#catalog);
      if (this.#catalog.runs.length === 0) {
        const again = () => void this.#refresh();
        this.#say(noProfiles(h, this.#catalog, again, () => this.#toggleDetails(true)));
      }
      this.update();
    } catch (error) {
      if (await this.#startAlone()) return;
      this.#sayError("the list of profiles", error, () => void this.#start());
    } finally {
      clearTimeout(wait);
      clearTimeout(late);
    }
  }

  /** Start from what came with the notebook; tell whether there was something. */
  async #startAlone(): Promise<boolean> {
    const { session, signal } = this.ctx;
    const start = await keptStart(session);
    if (signal.aborted || this.#heard) return false;
    if (!start) this.#say(nothingKept(this.ctx));
    if (!start) return session.unreadable !== "";
    if (!this.#fromSnapshot) {
      this.#fromSnapshot = true;
      this.#catalog = start.catalog;
      this.#info = start.trace;
      this.#traceKey = session.traceKey;
      this.#controls.setCatalog(this.#catalog);
      this.#filter.setInfo(this.#info);
      this.#panels.setInfo(this.#info);
      this.#showFacts();
      // Some hosts take messages that no kernel will ever answer; any answer says that one is there.
      session.router.disconnect();
      if (!session.model.page)
        session.router.request("hello").then(
          () => void this.#start(),
          () => {},
        );
    }
    this.update();
    return true;
  }

  async #readTrace(): Promise<void> {
    const { h, session, progress, announce } = this.ctx;
    const key = session.traceKey;
    this.#traceKey = key;
    this.#switch.forgetSelections();
    const { worker } = session.state;
    let title: HTMLElement | null = null;
    const wait = setTimeout(() => {
      progress.begin();
      title = h("p", { class: "nbp-muted" });
      const box = bones(h, `Reading ${worker || "the profile"}`);
      box.children[0]?.after(title);
      if (!this.#info) this.#say(box);
    }, 300);
    try {
      const info = await session.trace(({ text, done, total }) => {
        if (total > 0) progress.at(done / total);
        if (title) title.textContent = text;
      });
      if (key !== session.traceKey || this.ctx.signal.aborted) return;
      this.#info = info;
      this.#state.hidden = true;
      this.#filter.setInfo(info);
      this.#panels.setInfo(info);
      this.#showFacts();
      announce(factsText(info));
      this.update();
    } catch (error) {
      if (key !== session.traceKey || error instanceof Superseded) return;
      this.#traceKey = ""; // whoever comes next asks anew
      if (this.#info && !session.router.connected) return;
      this.#info = null;
      this.#sayError("the profile", error, () => this.update());
    } finally {
      clearTimeout(wait);
      if (title) progress.end();
    }
  }

  /** Bring the script of a view, unless it is on its way. */
  #bring(view: ViewInfo): void {
    const { session } = this.ctx;
    const wanted = JSON.stringify([view.script, session.router.connected]);
    if (moduleOf(view) || wanted === this.#wanted) return;
    this.#wanted = wanted;
    void this.#load(view);
  }

  async #load(view: ViewInfo): Promise<void> {
    const { h, session, signal } = this.ctx;
    const wait = setTimeout(() => this.#info && this.#say(bones(h, `Loading ${view.title}`)), 300);
    try {
      await session.scripts.load(view.script);
      if (!signal.aborted) this.update();
    } catch (error) {
      if (signal.aborted || view !== session.view) return;
      if (!session.router.connected && !session.hasScript(view.script)) this.#sayAlone(view);
      else this.#sayError(`the view ${view.title}`, error, () => void this.#load(view));
    } finally {
      clearTimeout(wait);
    }
  }

  #showPanel(): void {
    const { session } = this.ctx;
    const { view, answersAlone } = session;
    const { connected } = session.router;
    const panel = this.#panels.find(view);
    if (!panel) {
      this.#bring(view);
      return;
    }
    const able = answersAlone || moduleOf(view)?.worksAlone === true;
    if (connected) this.#filled.add(view.name);
    else if (!able && !this.#filled.has(view.name)) {
      this.#sayAlone(view);
      return;
    }
    this.#panels.show(view);
    this.#panels.el.hidden = false;
    this.#state.hidden = true;
    this.#switch.noteGrouping();
    if (connected || able) panel.update();
  }

  /** Of a notebook that was opened without a kernel, a view that needs no answers is there to see. */
  async #goToWhatIsKept(): Promise<void> {
    if (this.#moved) return;
    this.#moved = true;
    const { session } = this.ctx;
    const kept = session.views.filter(({ script }) => session.hasScript(script));
    await Promise.allSettled(kept.map(({ script }) => session.scripts.load(script)));
    const view = moduleOf(session.view)?.worksAlone ? null : this.#viewAlone();
    if (view) session.set({ active: view.name, group_by: view.group_by });
  }

  /** The first view that has something to show without answers. */
  #viewAlone(): ViewInfo | undefined {
    return this.ctx.session.views.find((view) => moduleOf(view)?.worksAlone);
  }

  #sayAlone(view: ViewInfo): void {
    const other = this.#viewAlone();
    const way = other ? { view: other, go: () => this.#switch.goTo(other) } : null;
    this.#say(needsPython(this.ctx, view, way));
  }

  #layOut(): void {
    const { session } = this.ctx;
    const narrow = this.ctx.width() === "narrow";
    const none = this.#catalog?.runs.length === 0;
    this.#controls.el.hidden = none;
    this.#tabrow.hidden = none;
    this.#tabs.el.hidden = narrow || session.views.length < 2;
    this.#narrow.hidden = !narrow || none;
    const count = this.#filter.count;
    this.#fold.textContent = count ? `Filters ▾ ${count}` : "Filters ▾";
    setAttributes(this.#fold, { "aria-expanded": String(!this.#folded) });
    this.#filter.el.hidden = none || (narrow && this.#folded);
    this.#controls.place(narrow ? [this.#narrow, this.#filter.bar] : null);
  }

  #showFacts(): void {
    if (!this.#info || !this.#catalog) return;
    const warnings = warningsText(this.#info, this.#catalog);
    const more = link(this.ctx.h, warnings, () => this.#toggleDetails(!this.#detailsOpen));
    more.dataset.tip = "What was repaired or skipped while reading";
    setAttributes(more, { "aria-expanded": String(this.#detailsOpen), "data-offline": true });
    fill(this.#facts, factsText(this.#info), warnings ? [" · ", more] : null);
  }

  #toggleDetails(open: boolean): void {
    this.#detailsOpen = open;
    this.#details.hidden = !open;
    if (open && this.#catalog)
      fill(this.#details, detailsPanel(this.ctx, this.#info, this.#catalog));
    this.#showFacts();
  }

  #say(content: HTMLElement): void {
    fill(this.#state, content);
    this.#state.hidden = false;
    this.#panels.el.hidden = true;
  }

  async #refresh(): Promise<void> {
    try {
      await this.ctx.session.refresh();
    } catch (error) {
      this.#sayError("the list of profiles", error, () => void this.#refresh());
      return;
    }
    await this.#start();
  }

  async #retry(): Promise<void> {
    try {
      await this.ctx.session.router.request("hello");
      this.#traceKey = "";
    } catch {
      this.ctx.announce("Still disconnected");
    }
  }

  #sayError(what: string, error: unknown, again: () => void): void {
    if (error instanceof Superseded) return;
    const wire =
      error instanceof RequestFailed
        ? error.wire
        : { type: "Error", message: messageOf(error), hint: "", details: "" };
    const copy = () =>
      void copyText(`${wire.type}: ${wire.message}\n${wire.hint}\n${wire.details}`);
    this.#say(errorState(this.ctx.h, what, wire, again, copy));
  }

  /** Without a kernel nothing can be asked for, but everything can still be read and copied. */
  #setOffline(offline: boolean): void {
    if (!offline && !this.#offline) return;
    this.#offline = offline;
    const { session, root } = this.ctx;
    setOffline(root, offline, session.answersAlone ? (what) => session.lacks(what) : undefined);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
