/** A canvas that is drawn on in CSS pixels at the resolution of the screen. */
import type { Context } from "../core/context";
import type { Attributes } from "../core/dom";

export class Layer {
  readonly el: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  width = 0;
  height = 0;
  #ratio = 0;
  #pen: CanvasRenderingContext2D | null = null;

  constructor({ h }: Context, attributes: Attributes) {
    this.canvas = h("canvas", attributes);
    this.canvas.style.userSelect = "none"; // a drag must not select the surrounding text
    this.el = h("div", { class: "nbp-tl-canvas" }, this.canvas);
  }

  /** Set the size, only where it changes: setting it clears the canvas. */
  setSize(width: number, height: number): void {
    const ratio = globalThis.devicePixelRatio || 1;
    if (width === this.width && height === this.height && ratio === this.#ratio) return;
    this.width = width;
    this.height = height;
    this.#ratio = ratio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
  }

  /** The drawing context, scaled to CSS pixels; null without canvas support, as in tests. */
  pen(): CanvasRenderingContext2D | null {
    this.#pen ??= this.canvas.getContext?.("2d") ?? null;
    this.#pen?.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
    return this.#pen;
  }
}
