/** Elements of text that several parts use: bold text, and the hint about the keys of a table. */
import type { Child, Make } from "../core/dom";

export function bold(h: Make, text: string): HTMLElement {
  return h("b", { class: "nbp-strong" }, text);
}

/** The hint that explains the keys of a table. */
export function keyHelp(
  h: Make,
  has: { stacks: boolean; enter?: string; timeline: boolean },
): Child[] {
  const key = (text: string) => h("kbd", {}, text);
  const open = has.stacks ? [" ", key("→"), " open "] : " ";
  const show = has.timeline ? [" ", key("T"), " show in timeline"] : null;
  return [key("↑"), key("↓"), " move", open, key("Enter"), ` ${has.enter ?? "filter to it"}`, show];
}
