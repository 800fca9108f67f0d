/** Shows the whole widget, or only its active view, on the full screen. */
import type { Context } from "./context";
import { type ReadonlySignal, signal } from "./state/signals";

/** The whole widget, or only the active view. */
type FullPart = "all" | "view";

const made = new WeakMap<HTMLElement, FullScreen>();

/** The full screen of a widget. */
export function fullScreenOf(ctx: Context): FullScreen {
  let fullScreen = made.get(ctx.root);
  if (!fullScreen) {
    fullScreen = new FullScreen(ctx);
    made.set(ctx.root, fullScreen);
  }
  return fullScreen;
}

/** A button that shows a part on the full screen, and goes back. */
export function fullScreenButton(ctx: Context, part: FullPart, label: string): HTMLButtonElement {
  const { h } = ctx;
  const look = {
    class: "nbp-button nbp-full",
    type: "button",
    "aria-label": label,
    "data-tip": label,
  };
  const icon = h("span", { class: "nbp-screen", "aria-hidden": true });
  return h.on(h("button", look, icon), { click: () => fullScreenOf(ctx).toggle(part) });
}

class FullScreen {
  #shown = signal<FullPart | null>(null);

  constructor(private readonly ctx: Context) {
    const { root, signal: life } = ctx;
    document.addEventListener("fullscreenchange", () => this.#changed(), { signal: life });
    root.addEventListener("keydown", (event) => this.#key(event), { signal: life });
    life.addEventListener("abort", () => this.#leave(), { once: true });
  }

  /** The part on full screen; null without full screen. */
  get shown(): ReadonlySignal<FullPart | null> {
    return this.#shown;
  }

  /** Show a part, or go back if it is shown. */
  toggle(part: FullPart): void {
    if (this.#shown.value === part) this.#leave();
    else void this.#show(part);
  }

  async #show(part: FullPart): Promise<void> {
    const { root, announce } = this.ctx;
    const already = this.#shown.value !== null;
    root.dataset.full = part;
    this.#shown.value = part;
    announce("Full screen");
    if (already) return;
    try {
      await root.requestFullscreen();
    } catch {
      // Where the page or the host refuses it, the widget fills the window.
      root.toggleAttribute("data-fills", this.#shown.value !== null);
    }
  }

  #leave(): void {
    if (this.#shown.value === null) return;
    const { root } = this.ctx;
    this.#shown.value = null;
    delete root.dataset.full;
    root.removeAttribute("data-fills");
    if (this.#isFull()) void document.exitFullscreen().catch(() => {});
  }

  /** The browser leaves the full screen by itself, such as with Escape. */
  #changed(): void {
    if (!this.ctx.root.hasAttribute("data-fills") && !this.#isFull()) this.#leave();
  }

  #key(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !this.ctx.root.hasAttribute("data-fills")) return;
    event.preventDefault();
    this.#leave();
  }

  #isFull(): boolean {
    const { root } = this.ctx;
    return (root.getRootNode() as ShadowRoot | Document).fullscreenElement === root;
  }
}
