/** A call stack in one cell of a table: the user's frame, and the number of others. */
import type { Context } from "../../core/context";
import { fill } from "../../core/dom";
import { DASH, formatNumber } from "../../values/format";
import { type Frame, parseStack } from "../../values/names";
import { bold } from "../../values/text";

export function stackText({ h }: Context, stack: string): HTMLTableCellElement {
  const frames = parseStack(stack);
  const shown = frames.find((frame) => frame.user) ?? frames[0];
  if (!shown)
    return h("td", { class: "nbp-muted", "data-tip": "No call stack was recorded." }, DASH);
  const rest = frames.length - 1;
  const cell = h("td", { class: "nbp-clip", "data-tip": stackTip(frames) });
  const more =
    rest > 0 ? h("span", { class: "nbp-muted" }, ` + ${formatNumber(rest)} frames`) : null;
  fill(cell, h("span", { class: "nbp-mono" }, bold(h, shown.text), more));
  return cell;
}

const TIP_FRAMES = 24;

export function stackTip(frames: readonly Frame[]): string {
  const first = frames.slice(0, TIP_FRAMES).map((frame) => frame.text);
  const more = frames.length - first.length;
  return ["Call stack", ...first, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}
