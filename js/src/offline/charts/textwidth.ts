/** Estimates the width of text as `nbprof/charts/text.py` does, large enough that no label is cut off. */
import { SMALL } from "./sheet";

const BOLD = 1.2;
const WIDE = 1020;

/** Characters grouped by advance width, in thousandths of the font size. */
const GROUPS: [width: number, characters: string][] = [
  [280, "'ijl"],
  [320, "I ,."],
  [340, "/:;\\|"],
  [360, "f"],
  [380, "-"],
  [400, "()[]t"],
  [420, "!r"],
  [460, '"'],
  [500, "*J`"],
  [540, "sz"],
  [560, "?L_c–"],
  [580, "k"],
  [600, "vxy"],
  [620, "FTaeo"],
  [640, "$0123456789bdghnpqu{}µ"],
  [680, "EKPSY"],
  [700, "ABVXZ"],
  [740, "CRU"],
  [780, "&DGHN"],
  [820, "OQw"],
  [840, "#+<=>^~"],
  [880, "M"],
  [960, "%"],
  [980, "m"],
];
const WIDTHS = new Map(
  GROUPS.flatMap(([width, letters]) => [...letters].map((letter) => [letter, width] as const)),
);

export function textWidth(text: string, size = SMALL, bold = false): number {
  let units = 0;
  for (const letter of text) units += WIDTHS.get(letter) ?? WIDE;
  return ((units * size) / 1000) * (bold ? BOLD : 1);
}

/** Cut a text in its middle until it fits. */
export function fitText(text: string, room: number, size = SMALL, most = 40): string {
  let length = Math.min(text.length, most);
  while (length > 4 && textWidth(cut(text, length), size) > room) length -= 1;
  return cut(text, length);
}

/** The font size, at most `size`, at which a text fits. */
export function fitSize(text: string, room: number, size: number, bold = false): number {
  const width = textWidth(text, size, bold);
  return width <= room ? size : Math.max(8, (size * room) / width);
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  if (length < 4) return `${text.slice(0, Math.max(length - 1, 0))}…`;
  const tail = Math.floor(length * 0.42);
  return `${text.slice(0, length - tail - 1)}…${text.slice(text.length - tail)}`;
}
