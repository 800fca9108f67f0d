/** The toolbar above the canvas: search, window as text, zoom buttons and menus. */
import type { Context } from "../../../core/context";
import { type Child, setAttributes } from "../../../core/dom";
import { fullScreenButton, fullScreenOf } from "../../../core/fullscreen";
import { button } from "../../../parts/states";
import { formatNumber, plural } from "../../../values/format";
import { canFind, outlineOf } from "../data/outline";
import { positionChoice } from "../drawing/ticks";
import type { Later } from "../later";
import type { Timeline } from "../state/types";
import { isOff, needsPython, setOff } from "./disabled";
import { rangeText } from "./positiontext";

const SEARCH_DELAY = 250;
const READING = "The timeline is being read.";

export class Toolbar {
  readonly el: HTMLElement;
  #field: HTMLElement;
  #search: HTMLInputElement;
  #count: HTMLElement;
  #previous: HTMLButtonElement;
  #next: HTMLButtonElement;
  #range: HTMLElement;
  #fit: HTMLButtonElement;
  #zoom: HTMLButtonElement;
  #measure: HTMLButtonElement;
  #note: HTMLButtonElement;
  #workers: HTMLButtonElement;
  #lanes: HTMLButtonElement;
  #help: HTMLButtonElement;
  #full: HTMLButtonElement;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the typed text was not searched for yet. */
  #typed = false;

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
    /** The menus of lanes and workers; null until they are loaded. */
    private readonly later: { menu: Later["menu"] | null; workers: Later["workers"] | null },
  ) {
    const { h } = ctx;
    this.#search = h("input", {
      type: "text",
      placeholder: "name, /…/",
      spellcheck: "false",
      "aria-label": "Search slices by name",
    });
    h.on(this.#search, {
      input: () => this.#typedOn(),
      change: () => this.#setSearch(),
      keydown: (event) => this.#searchKey(event),
    });
    ctx.signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
    this.#field = h(
      "label",
      { class: "nbp-field", "data-kind": "search" },
      h("span", { class: "nbp-tl-word" }, "Search"),
      this.#search,
    );
    // Inside the field, so that nothing moves when it appears.
    this.#count = h("span", { class: "nbp-label nbp-tl-count", "aria-live": "polite" });
    this.#field.append(this.#count);
    this.#previous = this.#plain("‹", " Prev", "‹ Prev match", () => this.#find(-1));
    this.#next = this.#plain("›", "Next ", "Next › match", () => this.#find(1));
    this.#range = h("span", { class: "nbp-label nbp-tl-range" });
    this.#fit = this.#button("Fit", "0", () => timeline.fit());
    this.#zoom = this.#button("Zoom", "F", () => timeline.zoomToSelection());
    this.#zoom.firstChild?.after(h("span", { class: "nbp-tl-word" }, " to selection"));
    this.#measure = this.#button("Measure", "M", () => timeline.toggleMeasure());
    this.#workers = this.#button("Workers ▾", "", () => this.later.workers?.toggle(this.#workers));
    setAttributes(this.#workers, { "aria-haspopup": "true", "aria-expanded": "false" });
    this.#workers.hidden = true;
    this.#note = this.#button("Note", "T", () => timeline.notes.begin());
    this.#lanes = this.#button("Lanes ▾", "", () => this.later.menu?.toggle(this.#lanes));
    setAttributes(this.#lanes, { "aria-haspopup": "true", "aria-expanded": "false" });
    this.#help = button(h, "?", () => timeline.toggleHelp());
    setAttributes(this.#help, {
      "aria-label": "Keys and gestures",
      "aria-keyshortcuts": "?",
      "aria-haspopup": "dialog",
      "data-tip": "Keys and gestures",
    });
    this.#full = fullScreenButton(ctx, "view", "Timeline on the full screen");
    const bar = h(
      "div",
      { class: "nbp-tl-toolbar", role: "toolbar", "aria-label": "Timeline", "data-offline": true },
      this.#field,
      h("span", { class: "nbp-segments" }, this.#previous, this.#next),
      this.#workers,
      this.#note,
      h("span", { class: "nbp-gap" }),
      this.#range,
      this.#fit,
      this.#zoom,
      this.#measure,
      this.#lanes,
      this.#help,
      this.#full,
    );
    this.el = h("div", { class: "nbp-tl-bar" }, bar);
    this.update();
  }

  /** Focus the search field. */
  focusSearch(): void {
    this.#search.focus();
    this.#search.select();
  }

  update(): void {
    const { state } = this.timeline;
    const { layout, view, search, selected, block, area, measuring, helpOpen } = state;
    const { session } = this.ctx;
    const reading = layout ? undefined : READING;
    const offline = canFind(session) ? undefined : needsPython(session, "Searching");
    if (!this.#typed && this.#search.value !== search) this.#search.value = search;
    this.#search.disabled = Boolean(reading ?? offline);
    setAttributes(this.#search, { title: reading ?? offline });
    setAttributes(this.#field, { "data-on": search !== "", "data-off": Boolean(offline) });
    this.#sayCount(!session.router.connected && Boolean(outlineOf(session)?.about.left_out));
    const none = search === "" ? "Type a name to search for." : undefined;
    const nothing = state.found?.count === 0 ? "There is no match to go to." : undefined;
    for (const button of [this.#previous, this.#next])
      setOff(button, reading ?? offline ?? none ?? nothing);
    say(this.#range, layout ? rangeText(view, positionChoice(this.ctx, this.timeline)) : "");
    const whole = layout && view.start_ns <= layout.start_ns && view.end_ns >= layout.end_ns;
    setOff(this.#fit, reading ?? (whole ? "The whole trace is visible." : undefined));
    const empty = selected || block || area ? undefined : "Select a slice or a range first.";
    setOff(this.#zoom, reading ?? empty);
    setOff(this.#note, reading ?? empty);
    setOff(this.#measure, reading);
    setAttributes(this.#measure, { "aria-pressed": String(measuring) });
    void this.#countWorkers();
    setOff(this.#workers, reading ?? (this.later.workers ? undefined : READING));
    setOff(this.#lanes, reading ?? (this.later.menu ? undefined : READING));
    const full = fullScreenOf(this.ctx).shown.value === "view";
    setAttributes(this.#full, { "aria-pressed": String(full) });
    setAttributes(this.#help, { "aria-expanded": String(helpOpen) });
  }

  /** Show the menu of workers where there are several, with the number of those shown. */
  async #countWorkers(): Promise<void> {
    const { session } = this.ctx;
    const { run } = session.state;
    const { workers = [] } = this.timeline.state.layout ?? {};
    const shown = workers.filter(({ baseline }) => !baseline).length || 1;
    const words = shown > 1 ? `${formatNumber(shown)} workers ▾` : "Workers ▾";
    if (this.#workers.textContent !== words) this.#workers.textContent = words;
    const catalog = await session.catalog().catch(() => null);
    const known = catalog?.runs.find((one) => one.run === run)?.workers.length ?? 1;
    this.#workers.hidden = known < 2 && shown < 2;
  }

  /**
   * Say how many slices match.
   *
   * @param isPart - whether saved state lacks slices, or only counts some in blocks
   */
  #sayCount(isPart: boolean): void {
    const { found, search } = this.timeline.state;
    const tip = "Only slices that are drawn one by one can be found without Python.";
    setAttributes(this.#count, { "data-tip": isPart ? tip : null });
    say(this.#count, search !== "" && found ? countText(found) + (isPart ? " drawn" : "") : "");
  }

  #typedOn(): void {
    this.#typed = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#setSearch(), SEARCH_DELAY);
  }

  #setSearch(): void {
    clearTimeout(this.#timer);
    this.#typed = false;
    const text = this.#search.value.trim();
    if (text !== this.timeline.state.search) this.timeline.setSearch(text);
  }

  #searchKey(event: KeyboardEvent): void {
    if (event.key === "Enter") {
      this.#setSearch();
      this.#find(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape" && this.#search.value) {
      this.#search.value = "";
      this.#setSearch();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #find(direction: 1 | -1): void {
    if (this.timeline.state.search) this.timeline.findNext(direction);
  }

  #button(label: string, key: string, act: () => void): HTMLButtonElement {
    const { h } = this.ctx;
    const made = button(h, label, () => isOff(made) || act());
    if (key) {
      made.append(" ", h("kbd", { "aria-hidden": "true" }, key));
      made.setAttribute("aria-keyshortcuts", key);
    }
    return made;
  }

  /** A button with a sign and a word, on the side that an arrow does not point to. */
  #plain(sign: string, label: string, name: string, act: () => void): HTMLButtonElement {
    const { h } = this.ctx;
    const word = h("span", { class: "nbp-tl-word" }, label);
    const face: Child[] = label.startsWith(" ") ? [sign, word] : [word, sign];
    const made = h("button", { type: "button", "aria-label": name }, face);
    return h.on(made, { click: () => isOff(made) || act() });
  }
}

function countText({ count, index }: { count: number; index: number }): string {
  if (count === 0) return "No match";
  if (index === 0) return plural(count, "match", "matches");
  return `${formatNumber(index)} of ${formatNumber(count)}`;
}

/** Write to a live region only on a change, since every write is announced. */
function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
