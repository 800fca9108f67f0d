/** Small pieces of text. */
import type { Child, Make } from "./dom";

export function bold(h: Make, text: string): HTMLElement {
  return h("b", { class: "nbp-strong" }, text);
}

/** What the keys do in a table. */
export function keyHelp(h: Make, stacks: boolean): Child[] {
  const key = (text: string) => h("kbd", {}, text);
  const open = stacks ? [" ", key("→"), " call stacks "] : " ";
  return [key("↑"), key("↓"), " move", open, key("Enter"), " filter to it"];
}
