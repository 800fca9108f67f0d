/** `Keyboard`: listens to keys anywhere in the timeline, and keeps the focus inside it. */
import type { Context } from "../../../../core/context";
import type { Controller } from "../../state/controller";
import { KeyQueue } from "./keyqueue";
import { type KeyTargets, pressed } from "./keys";

export class Keyboard {
  #keys = new KeyQueue();
  /** The focused element in the timeline. */
  #focused: Element | null = null;
  #frame = 0;

  /**
   * @param el - the whole timeline
   * @param focus - gives the focus to the canvas
   */
  constructor(
    { h, signal }: Context,
    private readonly el: HTMLElement,
    timeline: Controller,
    targets: KeyTargets,
    private readonly focus: () => void,
  ) {
    timeline.subscribe(() => {
      this.#keys.take();
      cancelAnimationFrame(this.#frame);
      this.#frame = requestAnimationFrame(() => this.#keepFocus());
    });
    signal.addEventListener("abort", () => cancelAnimationFrame(this.#frame), { once: true });
    h.on(el, {
      keydown: (event) => {
        if (!pressed(event, timeline, targets, this.#keys)) return;
        event.preventDefault();
        event.stopPropagation();
      },
      focusin: (event) => {
        this.#focused = event.target as Element;
      },
      focusout: (event) => {
        if ((event.target as Element).isConnected) this.#focused = null;
      },
    });
  }

  /** Focus the canvas if the focused element was removed, such as a link, so that no key is lost. */
  #keepFocus(): void {
    if (!this.#focused || this.#focused.isConnected) return;
    this.#focused = null;
    const { activeElement } = this.el.getRootNode() as ShadowRoot | Document;
    if (!activeElement || activeElement === document.body) this.focus();
  }
}
