/** The widget on screen: creates its parts, and redraws each when its signals change. */

import { copyText } from "../core/clipboard";
import type { Context, Panel } from "../core/context";
import { fill, setAttributes } from "../core/dom";
import { RequestFailed, Superseded } from "../core/protocol/router";
import { signal, untracked, watch } from "../core/state/signals";
import type { ViewInfo } from "../core/views/viewinfo";
import { button, errorState, link, skeleton } from "../parts/states";
import { Banners } from "./banners";
import { Controls } from "./controls";
import { setOffline } from "./disabling";
import { FilterBar } from "./filterbar";
import { moduleOf, Panels } from "./panels";
import { ProfileReader } from "./profilereader";
import { needsPython } from "./savedstart";
import { Tabs } from "./tabs";
import { ViewLoader } from "./viewloader";
import { ViewSwitch } from "./viewswitch";
import { detailsPanel, factsText, warningsText } from "./warnings";

export class Explorer {
  #profile: ProfileReader;
  #views: ViewLoader;
  #controls: Controls;
  #filter: FilterBar;
  #tabs: Tabs;
  #facts: HTMLElement;
  #details: HTMLElement;
  #narrow: HTMLElement;
  #tabrow: HTMLElement;
  #fold: HTMLButtonElement;
  #state: HTMLElement;
  #panels: Panels;
  #switch: ViewSwitch;
  #folded = signal(true);
  #detailsOpen = signal(false);
  /** The message shown instead of the panels. */
  #message = signal<HTMLElement | null>(null);
  /** The panel that is drawn, with its view. */
  #active = signal<{ view: ViewInfo; panel: Panel } | null>(null);
  /** Counts drawings: new controls may have to be disabled. */
  #drawn = signal(0);
  /** Stops drawing the panel on screen. */
  #shown: AbortController | null = null;
  #offline = false;
  /** Views that Python has answered for. */
  #filled = new Set<string>();

  constructor(private readonly ctx: Context) {
    const { h, root, session } = ctx;
    const profile = new ProfileReader(ctx, {
      say: (content) => this.#say(content),
      sayError: (...error) => this.#sayError(...error),
      details: () => this.#openDetails(),
      left: () => this.#switch.forgetSelections(),
    });
    this.#profile = profile;
    this.#views = new ViewLoader(ctx, {
      sayLoading: ({ title }) => profile.info.value && this.#say(skeleton(h, `Loading ${title}`)),
      sayError: (...error) => this.#sayError(...error),
      sayAlone: (view) => this.#sayAlone(view),
    });
    this.#panels = new Panels(ctx, profile.info);
    const exports = () => this.#panels.find(session.view)?.exports() ?? [];
    this.#controls = new Controls(ctx, profile.catalog, exports);
    this.#filter = new FilterBar(ctx, profile.info);
    this.#switch = new ViewSwitch(session);
    this.#tabs = new Tabs(ctx, this.#panels.made, (view) => this.#switch.goTo(view));
    const banners = new Banners(ctx, {
      details: () => this.#openDetails(),
      retry: () => void profile.retry(),
    });
    this.#facts = h("span", { class: "nbp-facts" });
    this.#details = h("div", { hidden: true });
    this.#fold = button(h, "Filters ▾", () => {
      this.#folded.value = !this.#folded.value;
    });
    this.#narrow = h("div", { class: "nbp-bar" }, this.#tabs.select.el, this.#fold);
    this.#state = h("div", { class: "nbp-body", hidden: true });
    this.#tabrow = h("div", { class: "nbp-tabrow" }, this.#tabs.el, this.#facts);
    // The views stay readable without a kernel.
    for (const choice of [this.#tabs.el, this.#tabs.select.el]) choice.dataset.offline = "";
    root.append(
      ctx.progress.el,
      banners.el,
      this.#controls.el,
      this.#narrow,
      this.#tabrow,
      this.#filter.el,
      this.#details,
      this.#state,
      this.#panels.el,
    );
    watch(() => this.#views.follow(), ctx.signal);
    watch(() => profile.follow(), ctx.signal);
    for (const draw of [
      () => banners.update(profile.catalog.value),
      () => this.#controls.update(),
      () => this.#tabs.update(),
      () => this.#layOut(),
      () => this.#filter.update(),
      () => this.#showFacts(),
      () => this.#showDetails(),
      () => this.#choosePanel(),
      () => this.#showMessage(),
    ])
      this.#draw(draw, ctx.signal);
    watch(() => this.#drawPanel(), ctx.signal);
    watch(() => this.#setOffline(), ctx.signal);
    void profile.start();
  }

  #draw(draw: () => void, until: AbortSignal): void {
    watch(() => {
      draw();
      this.#drawn.value = this.#drawn.peek() + 1;
    }, until);
  }

  /** Choose the panel of the active view, or the message that replaces it. */
  #choosePanel(): void {
    const { session } = this.ctx;
    const { view } = session;
    const { connected } = session.router;
    void this.#views.loaded.value;
    if (!this.#profile.info.value) return;
    const panel = untracked(() => this.#panels.find(view));
    if (!panel) return;
    if (connected) this.#filled.add(view.name);
    else if (!this.#canDraw(view) && !this.#filled.has(view.name)) {
      this.#sayAlone(view);
      return;
    }
    this.#panels.show(view);
    this.#say(null);
    this.#switch.noteGrouping();
    this.#active.value = { view, panel };
  }

  /** Whether the data of a view is available now. */
  #canDraw(view: ViewInfo): boolean {
    const { router, answersAlone } = this.ctx.session;
    return router.connected || answersAlone || moduleOf(view)?.worksAlone === true;
  }

  /** Draw the parts of the panel on screen; stop drawing those of the previous one. */
  #drawPanel(): void {
    const active = this.#active.value;
    this.#shown?.abort();
    const shown = new AbortController();
    this.#shown = shown;
    this.ctx.signal.addEventListener("abort", () => shown.abort(), { signal: shown.signal });
    for (const part of active?.panel.parts ?? [])
      this.#draw(() => this.#isOnScreen(active?.view) && part.update(), shown.signal);
  }

  /** Traits change one after the other: a panel about to be replaced must not send requests. */
  #isOnScreen(view: ViewInfo | undefined): boolean {
    return view?.name === this.ctx.session.view.name && this.#canDraw(view);
  }

  #sayAlone(view: ViewInfo): void {
    const other = this.#views.viewAlone();
    const way = other ? { view: other, go: () => this.#switch.goTo(other) } : null;
    this.#say(untracked(() => needsPython(this.ctx, view, way)));
  }

  #layOut(): void {
    const { session } = this.ctx;
    const narrow = this.ctx.width() === "narrow";
    const none = this.#profile.catalog.value?.runs.length === 0;
    const folded = this.#folded.value;
    this.#controls.el.hidden = none;
    this.#tabrow.hidden = none;
    this.#tabs.el.hidden = narrow || session.views.length < 2;
    this.#narrow.hidden = !narrow || none;
    const count = this.#filter.count;
    this.#fold.textContent = count ? `Filters ▾ ${count}` : "Filters ▾";
    setAttributes(this.#fold, { "aria-expanded": String(!folded) });
    this.#filter.el.hidden = none || (narrow && folded);
    this.#controls.place(narrow ? [this.#narrow, this.#filter.bar] : null);
  }

  #showFacts(): void {
    const [info, catalog] = [this.#profile.info.value, this.#profile.catalog.value];
    const open = this.#detailsOpen.value;
    if (!info || !catalog) return;
    const warnings = warningsText(info, catalog);
    const more = link(this.ctx.h, warnings, () => {
      this.#detailsOpen.value = !open;
    });
    more.dataset.tip = "What was repaired or skipped while reading";
    setAttributes(more, { "aria-expanded": String(open), "data-offline": true });
    fill(this.#facts, factsText(info), warnings ? [" · ", more] : null);
  }

  #openDetails(): void {
    this.#detailsOpen.value = true;
  }

  #showDetails(): void {
    const open = this.#detailsOpen.value;
    const [info, catalog] = [this.#profile.info.value, this.#profile.catalog.value];
    this.#details.hidden = !open;
    if (open && catalog) fill(this.#details, detailsPanel(this.ctx, info, catalog));
  }

  #say(content: HTMLElement | null): void {
    this.#message.value = content;
  }

  #showMessage(): void {
    const message = this.#message.value;
    if (message) fill(this.#state, message);
    this.#state.hidden = !message;
    this.#panels.el.hidden = message !== null;
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

  /** Disable what needs a kernel; everything can still be read and copied. */
  #setOffline(): void {
    void this.#drawn.value;
    const { session, root } = this.ctx;
    const offline = !session.router.connected;
    if (!offline && !this.#offline) return;
    this.#offline = offline;
    setOffline(root, offline, session.answersAlone ? (what) => session.lacks(what) : undefined);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
