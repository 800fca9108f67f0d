/** Small pieces of text. */
import type { Make } from "./dom";

export function bold(h: Make, text: string): HTMLElement {
  return h("b", { class: "nbp-strong" }, text);
}
