/** `legendOf`: what the colours and the line of the chart of blocks mean. */
import type { Palette } from "../../../canvas/palette";
import type { Make } from "../../../core/dom";
import type { Blocks } from "../../../core/protocol/protocol";
import { fillOf } from "./painter";

export function legendOf(h: Make, palette: Palette, info: Blocks): HTMLElement[] {
  const entry = (color: string, text: string, kind = "area") =>
    h("span", {}, h("i", { style: `background:${color}`, "data-kind": kind }), text);
  const colors = info.categories.length
    ? [
        ...info.categories.map((name, slot) => entry(fillOf(palette, slot), name)),
        entry(fillOf(palette, -1), "no category"),
      ]
    : [
        h("span", {}, "One colour for each frame of the user"),
        entry(fillOf(palette, -1), "no stack"),
      ];
  return [...colors, entry(palette.muted, "reserved by the allocator", "line")];
}
