/** `Popup`: shows tooltips and menus, one at a time, inside the widget. */
import { type Child, fill, type Make } from "../core/dom";
import { watchPlace } from "./inplace";

const TIP_DELAY = 350;
/** The entries by which arrow keys move in a menu. */
const STEPS: Record<string, number> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

export class Popup {
  #tip: HTMLElement;
  #menu: HTMLElement;
  #menuAnchor: HTMLElement | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unwatch = () => {};

  constructor(
    private readonly root: HTMLElement,
    h: Make,
    signal: AbortSignal,
  ) {
    this.#tip = h("div", { class: "nbp-popup nbp-tip", role: "tooltip", hidden: true });
    this.#menu = h("div", { class: "nbp-popup nbp-menu", hidden: true });
    root.append(this.#tip, this.#menu);
    const show = (event: Event) => this.#consider(event);
    h.on(root, {
      pointerover: show,
      focusin: show,
      pointerdown: () => this.#hideTip(),
      pointerleave: () => this.#hideTip(),
    });
    root.addEventListener("keydown", (event) => this.#key(event), { signal, capture: true });
    document.addEventListener("pointerdown", (event) => this.#outside(event), { signal });
    signal.addEventListener("abort", () => this.#hideTip(), { once: true });
  }

  /** Open a menu under a button, or close it if it is open. */
  toggleMenu(anchor: HTMLElement, label: string, ...items: Child[]): void {
    const wasOpen = this.#menuAnchor === anchor;
    this.closeMenu();
    if (wasOpen) return;
    this.#hideTip();
    fill(this.#menu, ...items);
    this.#menu.setAttribute("role", "group");
    this.#menu.setAttribute("aria-label", label);
    this.#menu.hidden = false;
    this.#menuAnchor = anchor;
    anchor.setAttribute("aria-expanded", "true");
    this.#place(this.#menu, anchor);
    this.#menuItems()[0]?.focus();
  }

  closeMenu(): void {
    const anchor = this.#menuAnchor;
    if (!anchor) return;
    this.#menuAnchor = null;
    anchor.setAttribute("aria-expanded", "false");
    const focused = this.#menu.contains(this.#active());
    this.#menu.hidden = true;
    this.#menu.replaceChildren();
    if (focused) anchor.focus();
  }

  #consider(event: Event): void {
    const target = event.target as Element | null;
    const anchor = target?.closest?.<HTMLElement>("[data-tip]");
    clearTimeout(this.#timer);
    if (anchor) this.#timer = setTimeout(() => this.#showTip(anchor), TIP_DELAY);
    else this.#hideTip();
  }

  #showTip(anchor: HTMLElement): void {
    const text = anchor.dataset.tip ?? "";
    if (!text || !anchor.isConnected || !this.#menu.hidden) return;
    this.#unwatch();
    const [first = "", ...rest] = text.split("\n");
    const lines: Node[] = rest.length ? [bold(first)] : [document.createTextNode(first)];
    for (const line of rest) {
      const block = document.createElement("div");
      block.className = "nbp-muted";
      block.textContent = line;
      lines.push(block);
    }
    this.#tip.replaceChildren(...lines);
    this.#tip.hidden = false;
    this.#place(this.#tip, anchor);
    const words = () => anchor.dataset.tip;
    this.#unwatch = watchPlace(anchor, words, () => this.#hideTip());
  }

  #hideTip(): void {
    this.#unwatch();
    clearTimeout(this.#timer);
    this.#tip.hidden = true;
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Escape") {
      const open = !this.#tip.hidden || !this.#menu.hidden;
      this.#hideTip();
      this.closeMenu();
      if (open) event.stopPropagation();
      return;
    }
    if (this.#menu.hidden || !this.#menu.contains(event.target as Node)) return;
    const step = STEPS[event.key] ?? 0;
    if (!step) return;
    const items = this.#menuItems();
    const at = items.indexOf(this.#active() as HTMLElement);
    items[(at + step + items.length) % items.length]?.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  #outside(event: Event): void {
    if (!this.#menuAnchor) return;
    const path = event.composedPath();
    if (!path.includes(this.#menu) && !path.includes(this.#menuAnchor)) this.closeMenu();
  }

  #menuItems(): HTMLElement[] {
    return [...this.#menu.querySelectorAll<HTMLElement>("button:enabled, input:enabled")];
  }

  #active(): Element | null {
    return (this.root.getRootNode() as ShadowRoot | Document).activeElement;
  }

  #place(popup: HTMLElement, anchor: HTMLElement): void {
    const room = this.root.getBoundingClientRect();
    const at = anchor.getBoundingClientRect();
    popup.style.maxWidth = `${Math.max(120, Math.min(520, room.width - 8))}px`;
    const { offsetWidth: width, offsetHeight: height } = popup;
    const left = Math.max(4, Math.min(at.left - room.left, room.width - width - 8));
    const below = at.bottom - room.top + 4;
    const above = at.top - room.top - height - 4;
    const fits = below + height <= room.height || above < 0;
    popup.style.left = `${left}px`;
    popup.style.top = `${fits ? below : above}px`;
  }
}

function bold(text: string): HTMLElement {
  const element = document.createElement("b");
  element.textContent = text;
  return element;
}
