/** `detailsOf`: everything that a snapshot says about one block. */
import type { Make } from "../../../core/dom";
import type { BlockDetails } from "../../../core/protocol/protocol";
import { formatBytes, formatNumber, type UnitChoice } from "../../../values/format";
import { parseStack } from "../../../values/names";
import { lifeText } from "./words";

const STATES: Record<string, string> = {
  allocated: "in use at this moment",
  awaiting_free: "released, but still used by other streams at this moment",
  freed: "no longer in use at this moment",
};

export function detailsOf(h: Make, block: BlockDetails, unit: UnitChoice): HTMLElement {
  const facts: [string, string][] = [
    ["Allocated", `${formatBytes(block.bytes)} (${formatNumber(block.bytes)} bytes)`],
    ["Requested", `${formatBytes(block.requested)} (${formatNumber(block.requested)} bytes)`],
    ["Life", lifeText(block.allocated_us, block.freed_us, unit)],
    ["State", STATES[block.state] ?? block.state],
    ["Address", block.address],
    ["Stream", block.stream === null ? "" : String(block.stream)],
    ["Pool", block.pool],
    ["Category", block.category],
    ["Note", block.note],
  ];
  const rows = facts
    .filter(([, text]) => text)
    .map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]);
  return h(
    "div",
    {},
    h("strong", {}, "Selected block"),
    h("dl", {}, rows),
    stackOf(h, block.stack, "Allocated by", "No stack of its allocation was recorded."),
    block.freed_by ? stackOf(h, block.freed_by, "Released by", "") : null,
  );
}

function stackOf(h: Make, stack: string, title: string, none: string): HTMLElement {
  const frames = parseStack(stack);
  if (!frames.length) return h("p", { class: "nbp-muted" }, none);
  return h(
    "div",
    {},
    h("span", { class: "nbp-muted" }, title),
    h(
      "ol",
      {},
      frames.map(({ text, user }) => h("li", { "data-user": user }, text)),
    ),
  );
}
