/** `Overflow`: a line of fields; those that do not fit move into a menu at its end. */
import { type Make, setAttributes } from "../core/dom";
import { button } from "./states";

/** A field, the width that it always has, and whether it is set. */
export interface Fitted {
  el: HTMLElement;
  width: number;
  on: boolean;
}

const GAP = 8;
/** The width of the button, with and without a number. */
const MORE = 84;

export class Overflow {
  /** The button at the end of the line, and the menu that it opens. */
  readonly more: HTMLButtonElement;
  readonly panel: HTMLElement;

  constructor(
    h: Make,
    private readonly line: HTMLElement,
    signal: AbortSignal,
  ) {
    this.more = button(h, "More ▾", () => this.#toggle(this.panel.hidden === true));
    this.more.dataset.offline = "";
    this.more.style.minWidth = `${MORE}px`;
    this.panel = h("div", { class: "nbp-morepanel", role: "group", hidden: true });
    this.panel.setAttribute("aria-label", "More filters");
    for (const part of [this.more, this.panel])
      h.on(part, { keydown: (event) => this.#key(event) });
    const outside = (event: Event) => {
      const path = event.composedPath();
      if (!path.includes(this.panel) && !path.includes(this.more)) this.#toggle(false);
    };
    document.addEventListener("pointerdown", outside, { signal });
  }

  /** @param room - width of the line for these fields, CSS px; null where lines may break */
  fit(fields: readonly Fitted[], room: number | null): void {
    const shown = fields.filter(({ el }) => !el.hidden);
    const fitting = room === null ? shown.length : fittingIn(shown, room);
    const inLine = new Set(shown.slice(0, fitting).map(({ el }) => el));
    for (const { el } of fields) {
      const stays = inLine.has(el) || el.hidden;
      if (el.parentElement === (stays ? this.line : this.panel)) continue; // it keeps its focus
      if (stays) this.line.insertBefore(el, this.more);
      else this.panel.append(el);
    }
    const over = shown.slice(fitting);
    const set = over.filter(({ on }) => on).length;
    this.more.hidden = over.length === 0;
    this.more.textContent = set ? `More ▾ ${set}` : "More ▾";
    this.more.toggleAttribute("data-on", set > 0);
    if (!over.length) this.#toggle(false);
  }

  #toggle(open: boolean): void {
    this.panel.hidden = !open;
    setAttributes(this.more, { "aria-expanded": String(open) });
    if (open) this.panel.querySelector<HTMLElement>("input:enabled, select:enabled")?.focus();
  }

  #key(event: KeyboardEvent): void {
    if (event.key !== "Escape" || this.panel.hidden) return;
    event.stopPropagation();
    this.#toggle(false);
    this.more.focus();
  }
}

/** The number of fields that fit into a line beside the button for the others. */
function fittingIn(fields: readonly { width: number }[], room: number): number {
  const whole = fields.reduce((sum, { width }) => sum + width + GAP, 0);
  if (whole <= room) return fields.length;
  let used = MORE + GAP;
  const over = fields.findIndex(({ width }) => {
    used += width + GAP;
    return used > room;
  });
  return over < 0 ? fields.length : over;
}
