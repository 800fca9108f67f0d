/** The help over the canvas: keys and gestures of the timeline. */
import type { Context } from "../../../core/context";
import { button } from "../../../parts/states";
import type { Timeline } from "../state/types";

/** Several keys of a line are separated by a space. */
const KEYS: [keys: string, what: string][] = [
  ["W S", "zoom in, out"],
  ["A D", "move left, right"],
  ["← →", "previous, next slice in the row"],
  ["↑ ↓", "enclosing slice, first slice inside"],
  ["Shift+← →", "move the end of the range, which starts as the selected slice"],
  ["Shift+↑ ↓", "add the lane above, below to the range"],
  ["F", "zoom to the selected slice or range"],
  ["0", "fit the whole trace"],
  ["/", "search by name"],
  ["N Shift+N", "next, previous match"],
  ["[", "to the operator"],
  ["Q", "to its entry into the queue or its exit"],
  ["L", "to the launching call"],
  ["K", "to the kernel"],
  ["B", "to the backward or forward operator"],
  ["]", "to the next call of the same name"],
  ["C", "to the same slice of the other run, in a comparison"],
  ["M", "measure between two clicks, or between selected slices with Enter"],
  ["T", "write a note on the selected slice or range"],
  ["Enter", "filter everything to the range, or remove that filter"],
  ["Esc", "clear: measure, range, selection"],
  ["↑ ↓", "on the name of a lane: to the name above, below"],
  ["Alt+↑ Alt+↓", "on a name: move the lane up, down"],
  ["← →", "on a name: collapse, expand"],
  ["P H", "on a name: pin the lane to the top or unpin it, hide it"],
  ["+ −", "on a name: higher, lower rows"],
  ["?", "this list"],
];

const GESTURES: [gesture: string, what: string][] = [
  ["Wheel", "scrolls the page"],
  ["Ctrl+wheel, ⌘+wheel, pinch", "zooms at the pointer"],
  ["Shift+wheel, drag", "moves"],
  ["Shift+drag", "selects a range over lanes"],
  ["Click", "selects a slice"],
  ["Double click", "zooms to a slice"],
  ["Click a flag on the ruler", "opens its note"],
  ["Drag in the minimap", "moves the window, or draws a new one"],
  ["Drag the name of a lane", "changes its place"],
  ["Drag the lower edge of a name", "changes its height; double click for the usual one"],
  ["Drag the lower edge of the lanes", "changes the height of all"],
];

export class Help {
  readonly el: HTMLElement;
  #box: HTMLElement;
  #close: HTMLButtonElement;
  #before: Element | null = null;

  constructor(
    ctx: Context,
    private readonly timeline: Timeline,
  ) {
    const { h, id } = ctx;
    this.#close = button(h, "Close", () => this.#shut());
    const title = h("h3", { id: `${id}-tl-help` }, "Keys and gestures");
    const lines = (rows: readonly (readonly [string, string])[], keys: boolean) =>
      rows.map(([what, does]) =>
        h(
          "tr",
          {},
          h(
            "th",
            { scope: "row" },
            keys ? what.split(" ").map((key) => [h("kbd", {}, key), " "]) : what,
          ),
          h("td", {}, does),
        ),
      );
    const table = (label: string, rows: HTMLElement[]) =>
      h(
        "table",
        { "aria-label": label },
        h("colgroup", {}, h("col", { class: "nbp-tl-keycolumn" }), h("col")),
        h("tbody", {}, rows),
      );
    const note = "Keys work while the timeline has the focus.";
    const tables = h(
      "div",
      { class: "nbp-tl-helptables", tabindex: 0, role: "region", "aria-label": "Keys" },
      table("Keys", lines(KEYS, true)),
      h("div", {}, table("Gestures", lines(GESTURES, false)), h("p", { class: "nbp-muted" }, note)),
    );
    this.#box = h(
      "div",
      { class: "nbp-popup nbp-tl-help", role: "dialog", "aria-labelledby": `${id}-tl-help` },
      h("div", { class: "nbp-head" }, title, h("span", { class: "nbp-gap" }), this.#close),
      tables,
    );
    this.el = h("div", { class: "nbp-tl-over", "data-offline": true, hidden: true }, this.#box);
    h.on(this.el, {
      keydown: (event) => this.#key(event),
      click: (event) => {
        if (event.target === this.el) this.#shut();
      },
    });
  }

  update(): void {
    const { helpOpen } = this.timeline.state;
    if (helpOpen === !this.el.hidden) return;
    if (helpOpen) this.#before = this.#active();
    // Keep the focus where it is if the user has moved it elsewhere meanwhile.
    const back = !helpOpen && this.el.contains(this.#active()) ? this.#before : null;
    this.el.hidden = !helpOpen;
    if (helpOpen) this.#close.focus();
    else (back as HTMLElement | null)?.focus?.();
  }

  #shut(): void {
    if (this.timeline.state.helpOpen) this.timeline.toggleHelp();
  }

  #key(event: KeyboardEvent): void {
    // No key reaches the canvas; Tab cycles within the help.
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "?") this.#shut();
    else if (event.key === "Tab") this.#turn();
    else return;
    event.preventDefault();
  }

  #turn(): void {
    const stops = [...this.#box.querySelectorAll<HTMLElement>("button, [tabindex='0']")];
    const other = stops.find((stop) => stop !== this.#active());
    other?.focus();
  }

  #active(): Element | null {
    return (this.el.getRootNode() as ShadowRoot | Document).activeElement ?? null;
  }
}
