/** Lines for call stacks under a row: the user's frames, with library frames folded. */

import { copyText } from "../../core/clipboard";
import type { Context } from "../../core/context";
import { type Child, fill } from "../../core/dom";
import { type Rows, readRows } from "../../values/arrow";
import type { TimeUnit } from "../../values/format";
import { DASH, formatNumber } from "../../values/format";
import { type Frame, foldStack, parseStack, placeOf } from "../../values/names";
import { bold } from "../../values/text";
import type { ColumnSpec } from "../columns";
import { valueCell } from "./cells";

type Line =
  | { kind: "stack"; row: number; frames: Frame[]; open: boolean }
  | { kind: "fold"; frames: Frame[]; open: boolean }
  | { kind: "frame"; frame: Frame }
  | { kind: "note"; text: string };

/** The lines under one row. */
export class StackLines {
  #lines: Line[] = [];
  #rows: Rows | null = null;

  constructor(note?: string) {
    if (note) this.#lines = [{ kind: "note", text: note }];
  }

  static read(buffer: Uint8Array, hint: string | undefined): StackLines {
    const rows = readRows(buffer);
    const lines = new StackLines();
    lines.#rows = rows;
    for (let row = 0; row < rows.length; row += 1) {
      const frames = parseStack(rows.text("call_stack", row));
      lines.#lines.push({ kind: "stack", row, frames, open: false });
    }
    if (!rows.column("call_stack")) return lines; // the parts of an operator, each with its name
    const none = lines.#lines.every((line) => line.kind === "stack" && line.frames.length === 0);
    return none ? new StackLines(hint ?? "No call stack was recorded.") : lines;
  }

  /** The frames of a single stack, whose figures are in the row itself. */
  static of(stack: string): StackLines {
    const frames = parseStack(stack);
    if (!frames.length) return new StackLines("No call stack was recorded.");
    const lines = new StackLines();
    lines.#lines = inside(frames);
    return lines;
  }

  get length(): number {
    return this.#lines.length;
  }

  toggle(at: number): void {
    const line = this.#lines[at];
    if (line?.kind !== "stack" && line?.kind !== "fold") return;
    line.open = !line.open;
    if (line.open) this.#lines.splice(at + 1, 0, ...inside(line.frames, line.kind === "fold"));
    else this.#lines.splice(at + 1, this.#shownUnder(at));
  }

  /** The number of lines that opening a line has added. */
  #shownUnder(at: number): number {
    const line = this.#lines[at];
    if (line?.kind === "fold") return line.frames.length;
    const next = this.#lines.findIndex((other, index) => index > at && other.kind === "stack");
    return (next < 0 ? this.#lines.length : next) - at - 1;
  }

  cells(
    ctx: Context,
    at: number,
    specs: readonly ColumnSpec[],
    units: ReadonlyMap<string, TimeUnit>,
    toggle: () => void,
  ): HTMLTableCellElement[] {
    const { h } = ctx;
    const line = this.#lines[at];
    const colspan = specs.length;
    if (!line) return [h("td", { colspan })];
    if (line.kind === "note") return [h("td", { colspan, class: "nbp-muted" }, line.text)];
    if (line.kind === "fold") {
      const words = `${formatNumber(line.frames.length)} library frames`;
      const more = moreButton(ctx, line.open ? `− ${words}` : `+ ${words}`, line.open, toggle);
      return [h("td", { colspan, "data-tip": stackTip(line.frames) }, indented(ctx, 44, more))];
    }
    if (line.kind === "frame") {
      const cell = frameWords(ctx, line.frame);
      return [h("td", { colspan, "data-tip": line.frame.text }, indented(ctx, 44, cell))];
    }
    const rows = this.#rows as Rows;
    return specs.map((spec, index) =>
      index === 0
        ? rows.column("call_stack")
          ? stackCell(ctx, line, toggle)
          : partCell(ctx, rows.text("name", line.row))
        : spec.kind === "text" || spec.kind === "name"
          ? h("td")
          : valueCell(h, { ...spec, bar: undefined as never }, rows.get(spec.key, line.row), {
              units,
            }),
    );
  }
}

/** The lines for some frames; with `each`, one line for every folded frame. */
function inside(frames: Frame[], each = false): Line[] {
  const groups = each ? frames.map((frame) => [frame]) : foldStack(frames);
  return groups.map((group): Line => {
    const [frame] = group as [Frame];
    return group.length > 1
      ? { kind: "fold", frames: group, open: false }
      : { kind: "frame", frame };
  });
}

function partCell(ctx: Context, name: string): HTMLTableCellElement {
  const words = ctx.h("span", { class: "nbp-frametext" }, name);
  return ctx.h("td", { "data-tip": name }, indented(ctx, 24, words));
}

function stackCell(ctx: Context, line: Line & { kind: "stack" }, toggle: () => void) {
  const { h } = ctx;
  const shown = line.frames.find((frame) => frame.user) ?? line.frames[0];
  const rest = line.frames.length - 1;
  const words = line.open ? "− hide frames" : `+ ${formatNumber(rest)} frames`;
  const first = shown ? frameWords(ctx, shown, true) : h("span", {}, "no call stack");
  const more = rest > 0 ? moreButton(ctx, words, line.open, toggle) : null;
  return h("td", { "data-tip": stackTip(line.frames) }, indented(ctx, 24, first, more));
}

function indented({ h }: Context, padding: number, ...parts: Child[]): HTMLElement {
  return h("span", { class: "nbp-frameline", style: `padding-left:${padding}px` }, ...parts);
}

function moreButton({ h }: Context, words: string, open: boolean, toggle: () => void) {
  const button = h("button", {
    type: "button",
    class: "nbp-link nbp-mono nbp-muted",
    "aria-expanded": String(open),
  });
  button.append(words);
  return h.on(button, { click: toggle });
}

/** A frame with a button that copies its location. */
function frameWords({ h, announce }: Context, frame: Frame, first = false): Child[] {
  const { text, user } = frame;
  const words = h(
    "span",
    { class: "nbp-mono nbp-frametext" },
    user || first ? bold(h, text) : text,
  );
  const place = placeOf(frame);
  if (!place) return [words];
  const copy = h("button", { type: "button", class: "nbp-link", "aria-label": `Copy ${place}` });
  copy.append("Copy");
  h.on(copy, {
    click: () => void copyText(place).then(() => announce(`${place} copied`)),
  });
  return [words, copy];
}

/** A call stack in one cell: the user's frame, and the number of others. */
export function stackText({ h }: Context, stack: string): HTMLTableCellElement {
  const frames = parseStack(stack);
  const shown = frames.find((frame) => frame.user) ?? frames[0];
  if (!shown)
    return h("td", { class: "nbp-muted", "data-tip": "No call stack was recorded." }, DASH);
  const rest = frames.length - 1;
  const cell = h("td", { "data-tip": stackTip(frames) });
  const more =
    rest > 0 ? h("span", { class: "nbp-muted" }, ` + ${formatNumber(rest)} frames`) : null;
  fill(cell, h("span", { class: "nbp-mono" }, bold(h, shown.text), more));
  return cell;
}

const TIP_FRAMES = 24;

function stackTip(frames: readonly Frame[]): string {
  const first = frames.slice(0, TIP_FRAMES).map((frame) => frame.text);
  const more = frames.length - first.length;
  return ["Call stack", ...first, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}
