/** Handles the keys of the whole widget, and the link that skips the bars for keyboard users. */
import type { Context } from "../core/context";
import { showKeys } from "./keylist";

export interface KeyActions {
  filter(): void;
  /** Go to the view before (-1) or after (1). */
  go(step: number): void;
  panel(): HTMLElement;
}

/** The targets of keys: tables with row keys, and graphs; if there are none, other tables. */
const CONTENT = ["[role=grid], [role=treegrid], canvas[tabindex]", "[tabindex='0']"];

interface Buttons {
  /** Seen only while it has the focus. */
  skip: HTMLButtonElement;
  help: HTMLButtonElement;
}

export class ShellKeys {
  constructor(
    private readonly ctx: Context,
    private readonly actions: KeyActions & Buttons,
  ) {
    const { h, root, signal } = ctx;
    const { skip, help } = actions;
    h.on(skip, { click: () => this.#goIn() });
    h.on(help, { click: () => showKeys(ctx, help) });
    help.setAttribute("aria-haspopup", "true");
    root.addEventListener("keydown", (event) => this.#key(event), { signal });
  }

  #key(event: KeyboardEvent): void {
    const target = event.target as Element;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest("input, select, textarea")) return;
    const acts: Record<string, () => void> = {
      "?": () => showKeys(this.ctx, this.actions.help),
      "/": () => this.actions.filter(),
      "[": () => this.actions.go(-1),
      "]": () => this.actions.go(1),
      g: () => this.#goIn(),
    };
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Go to the next table or graph of the view, and after the last to the first. */
  #goIn(): void {
    const panel = this.actions.panel();
    const [places = []] = CONTENT.map((which) =>
      [...panel.querySelectorAll<HTMLElement>(which)].filter((place) => place.checkVisibility()),
    ).filter((found) => found.length);
    const active = (panel.getRootNode() as ShadowRoot | Document).activeElement;
    const at = places.findIndex((place) => place.contains(active));
    const next = places[(at + 1) % places.length];
    const row = next?.querySelector<HTMLElement>("[tabindex='0']") ?? next;
    row?.focus();
    next?.scrollIntoView?.({ block: "nearest" });
  }
}
