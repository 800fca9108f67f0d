/** `Explorer`: the whole widget; creates its parts, and redraws each when its signals change. */

import { copyText } from "../core/clipboard";
import type { Context, Panel } from "../core/context";
import { fill, setAttributes, setText } from "../core/dom";
import { messageOf, RequestFailed, Superseded } from "../core/protocol/router";
import { signal, untracked, watch } from "../core/state/signals";
import type { ViewInfo } from "../core/views/viewinfo";
import { button, errorState, link, skeleton } from "../parts/states";
import { Controls } from "./controls";
import { setOffline } from "./disabling";
import { FilterBar } from "./filter/filterbar";
import { FilterChips } from "./filter/filterchips";
import { Notices } from "./notices";
import { moduleOf, Panels } from "./panels";
import { ProfileReader } from "./profilereader";
import { needsPython } from "./savedstart";
import { Tabs } from "./tabs";
import { ToolLoader } from "./toolloader";
import { ViewLoader } from "./viewloader";
import { ViewSwitch } from "./viewswitch";
import { factsText, isBroken, warningsText } from "./warnings";

export class Explorer {
  #profile: ProfileReader;
  #views: ViewLoader;
  #controls: Controls;
  #filter: FilterBar;
  #tools: ToolLoader;
  #tabs: Tabs;
  #facts: HTMLElement;
  #more: HTMLElement;
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
  /** The number of drawings: after each, new controls may have to be disabled. */
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
      sayScriptMissing: (view) => this.#sayScriptMissing(view),
    });
    this.#panels = new Panels(ctx, profile.info);
    const exports = () => this.#panels.find(session.view)?.exports() ?? [];
    const help = button(h, "?", () => {});
    setAttributes(help, { "aria-label": "Keys", "data-tip": "Keys (?)", "data-offline": true });
    const badge = h("div", { class: "nbp-connection nbp-gap", "data-offline": true });
    const skip = h("button", { class: "nbp-skip", type: "button", "data-offline": true });
    skip.textContent = "Go to the view (G)";
    const selection = h("div", { class: "nbp-selectionline" });
    this.#controls = new Controls(ctx, profile.catalog, badge, help, {
      exports,
      refresh: () => void profile.refresh(),
    });
    this.#filter = new FilterBar(ctx, profile.info, () =>
      this.#tools.need().then((tools) => tools?.suggestions ?? null),
    );
    this.#tools = new ToolLoader(
      ctx,
      {
        badge,
        skip,
        help,
        selection,
        draw: (draw) => this.#draw(draw, ctx.signal),
        input: this.#filter.name.input,
        under: this.#filter.el,
        choose: (name, pattern) => this.#filter.name.choose(name, pattern),
        retry: () => void profile.retry(),
        filter: () => this.#goToFilter(),
        go: (step) => this.#goBeside(step),
        panel: () => this.#panels.el,
      },
      () => profile.info.value !== null,
    );
    this.#switch = new ViewSwitch(session);
    this.#tabs = new Tabs(ctx, this.#panels.made, profile.info, (view) => this.#switch.goTo(view));
    const chips = new FilterChips(ctx, profile.info, () => this.#filter.name.input.focus());
    const notices = new Notices(ctx);
    this.#facts = h("span", { class: "nbp-facts" });
    this.#more = link(h, "", () => {
      this.#detailsOpen.value = !this.#detailsOpen.value;
    });
    this.#details = h("div", { class: "nbp-details", hidden: true });
    this.#fold = button(h, "Filters ▾", () => {
      this.#folded.value = !this.#folded.value;
    });
    this.#narrow = h("div", { class: "nbp-bar" }, this.#tabs.select.el, this.#fold);
    this.#state = h("div", { class: "nbp-body", hidden: true });
    this.#tabrow = h("div", { class: "nbp-tabrow" }, this.#tabs.el, chips.el, this.#facts);
    // The views stay readable without a kernel.
    for (const choice of [this.#tabs.el, this.#tabs.select.el]) choice.dataset.offline = "";
    for (const part of [this.#facts, this.#details, this.#narrow, this.#filter.el])
      h.on(part, { keydown: (event) => this.#close(event) });
    root.append(
      ctx.progress.el,
      skip,
      this.#controls.el,
      this.#narrow,
      this.#tabrow,
      this.#filter.el,
      // Both overlay the elements below, so that nothing moves.
      h("div", { class: "nbp-overlay" }, this.#details, notices.el),
      this.#state,
      this.#panels.el,
      selection,
    );
    watch(() => this.#views.follow(), ctx.signal);
    watch(() => profile.follow(), ctx.signal);
    for (const draw of [
      () => notices.update(),
      () => this.#controls.update(),
      () => this.#tabs.update(),
      () => this.#layOut(),
      () => this.#filter.update(),
      () => chips.update(),
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
      this.#sayScriptMissing(view);
      return;
    }
    this.#panels.show(view);
    this.#say(null);
    this.#switch.noteGrouping();
    this.#active.value = { view, panel };
  }

  /** Whether the data of a view is available now. */
  #canDraw(view: ViewInfo): boolean {
    const { router, answersOffline } = this.ctx.session;
    return router.connected || answersOffline || moduleOf(view)?.worksOffline === true;
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

  /** Whether a view is still on screen: a panel about to be replaced must not send requests. */
  #isOnScreen(view: ViewInfo | undefined): boolean {
    return view?.name === this.ctx.session.view.name && this.#canDraw(view);
  }

  #sayScriptMissing(view: ViewInfo): void {
    const other = this.#views.offlineView();
    const way = other ? { view: other, go: () => this.#switch.goTo(other) } : null;
    this.#say(untracked(() => needsPython(this.ctx, view, way)));
  }

  #layOut(): void {
    const { session } = this.ctx;
    const width = this.ctx.width();
    const narrow = width === "narrow";
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
    const moved: [HTMLElement, HTMLElement] = [this.#narrow, this.#filter.bar];
    this.#controls.place(narrow ? moved : null, width === "wide" ? null : this.#facts);
  }

  #showFacts(): void {
    const [info, catalog] = [this.#profile.info.value, this.#profile.catalog.value];
    const open = this.#detailsOpen.value;
    if (!info || !catalog) return;
    const { h } = this.ctx;
    const warnings = warningsText(info, catalog);
    const width = this.ctx.width();
    const more = this.#more; // it keeps its focus
    setText(more, warningsText(info, catalog, width === "wide"));
    more.dataset.tip = warnings;
    more.toggleAttribute("data-grave", catalog.skipped.some(isBroken));
    setAttributes(more, { "aria-expanded": String(open), "data-offline": true });
    const facts = factsText(info, width !== "mid"); // in narrow views they have a line of their own
    const plain = h("span", { class: "nbp-plain", "data-tip": factsText(info) }, facts);
    if (more.isConnected && warnings) this.#facts.firstChild?.replaceWith(plain);
    else fill(this.#facts, plain, warnings ? more : null);
  }

  /** Close what Escape closes: the list of warnings, or the filters on narrow screens. */
  #close(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    const details = this.#detailsOpen.value;
    const filters = !details && !this.#folded.value && this.ctx.width() === "narrow";
    if (!details && !filters) return;
    event.preventDefault();
    if (details) this.#detailsOpen.value = false;
    else this.#folded.value = true;
    (details ? this.#more : this.#fold).focus();
  }

  #goToFilter(): void {
    this.#folded.value = false;
    this.#filter.name.input.focus();
  }

  /** Go to the view before or after. */
  #goBeside(step: number): void {
    const { views, view } = this.ctx.session;
    const next = views[(views.indexOf(view) + step + views.length) % views.length];
    if (next) this.#switch.goTo(next);
  }

  #openDetails(): void {
    this.#detailsOpen.value = true;
  }

  #showDetails(): void {
    const open = this.#detailsOpen.value;
    const [info, catalog] = [this.#profile.info.value, this.#profile.catalog.value];
    this.#details.hidden = !open;
    if (!open || !catalog) return;
    const { h } = this.ctx;
    const close = button(h, "Close", () => {
      this.#detailsOpen.value = false;
      this.#more.focus();
    });
    close.dataset.offline = "";
    void this.#tools.need().then((tools) => {
      if (tools) fill(this.#details, close, tools.skippedList(this.ctx, info, catalog));
    });
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

  /** Disable the controls that need a kernel; the content can still be read and copied. */
  #setOffline(): void {
    void this.#drawn.value;
    const { session, root } = this.ctx;
    const offline = !session.router.connected;
    if (!offline && !this.#offline) return;
    this.#offline = offline;
    setOffline(root, offline, session.answersOffline ? (what) => session.lacks(what) : undefined);
  }
}
