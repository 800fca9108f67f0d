/** `HeightGrip`: the lower edge of the lanes; dragging it or arrow keys change their height. */
import type { Context } from "../../../core/context";
import { setAttributes } from "../../../core/dom";

/** Change of one press of a key, CSS px. */
const STEP = 38;

export class HeightGrip {
  readonly el: HTMLElement;
  #from: { y: number; height: number } | null = null;

  /**
   * @param height - the height of the lanes, CSS px
   * @param set - sets a height; null for the height of the content
   * @param keep - called once when a height is chosen
   */
  constructor(
    { h }: Context,
    private readonly height: () => number,
    private readonly set: (height: number | null) => void,
    private readonly keep: () => void,
  ) {
    this.el = h("div", {
      class: "nbp-tl-grip",
      role: "separator",
      tabindex: 0,
      "aria-orientation": "horizontal",
      "aria-label": "Height of the lanes",
      "aria-valuenow": 0, // until the lanes are drawn
      "data-tip": "Drag to change the height; double click for the usual one",
      "data-offline": true,
    });
    h.on(this.el, {
      pointerdown: (event) => {
        this.#from = { y: event.clientY, height: height() };
        this.el.setPointerCapture?.(event.pointerId);
        event.preventDefault();
      },
      pointermove: (event) => {
        if (this.#from) set(this.#from.height + event.clientY - this.#from.y);
      },
      pointerup: () => this.#end(),
      pointercancel: () => this.#end(),
      dblclick: () => this.#choose(null),
      keydown: (event) => this.#key(event),
    });
  }

  update(): void {
    setAttributes(this.el, { "aria-valuenow": Math.round(this.height()) });
  }

  #end(): void {
    if (this.#from) this.keep();
    this.#from = null;
  }

  #choose(height: number | null): void {
    this.set(height);
    this.keep();
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "ArrowDown") this.#choose(this.height() + STEP);
    else if (event.key === "ArrowUp") this.#choose(this.height() - STEP);
    else if (event.key === "Home") this.#choose(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
