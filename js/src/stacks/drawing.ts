/** Draws the lines of call stacks: branches with their figures, frames with links to their source. */

import { copyText } from "../core/clipboard";
import type { Context } from "../core/context";
import type { Child } from "../core/dom";
import type { ColumnSpec } from "../table/columnspec";
import { valueCell } from "../table/grid/cells";
import { stackTip } from "../table/grid/stackcell";
import type { Rows } from "../values/arrow";
import type { TimeUnit } from "../values/format";
import { plural } from "../values/format";
import type { Frame } from "../values/names";
import { bold } from "../values/text";
import { placeOf } from "./frames";
import { watchSource } from "./sources";
import type { Branch, StackLine } from "./stacklines";

const INDENT = 24;
const STEP = 16;
const MOST_STEPS = 12;

interface Drawing {
  rows: Rows | null;
  specs: readonly ColumnSpec[];
  units: ReadonlyMap<string, TimeUnit>;
  /** Opens or closes the line: the lines below it, or with `frames` its own frames. */
  toggle(frames: boolean): void;
}

/** The cells of a line under a row. */
export function stackCells(
  ctx: Context,
  line: StackLine | undefined,
  { rows, specs, units, toggle }: Drawing,
): HTMLTableCellElement[] {
  const { h } = ctx;
  const colspan = specs.length;
  if (!line) return [h("td", { colspan })];
  if (line.kind === "note") return [h("td", { colspan, class: "nbp-muted" }, line.text)];
  if (line.kind === "fold") {
    const words = plural(line.frames.length, "library frame");
    const more = framesButton(ctx, words, line.open, () => toggle(false));
    const cell = indented(ctx, line.depth, 20, more);
    return [h("td", { colspan, "data-tip": stackTip(line.frames) }, cell)];
  }
  if (line.kind === "frame") {
    const cell = indented(ctx, line.depth, 20, frameWords(ctx, line.frame));
    return [h("td", { colspan, "data-tip": line.frame.text }, cell)];
  }
  const first =
    line.kind === "branch"
      ? branchCell(ctx, line, toggle)
      : partCell(ctx, rows?.text("name", line.row) ?? "");
  const figures = specs.slice(1).map((spec) => {
    const value = rows?.get(spec.key, line.row) ?? null;
    const plain = spec.kind === "text" || spec.kind === "name";
    // Shares of other times and flags cannot be summed over stacks: these cells of branches are empty.
    return plain || (value === null && line.kind === "branch")
      ? h("td")
      : valueCell(h, { ...spec, bar: undefined as never }, value, { units });
  });
  return [first, ...figures];
}

function partCell(ctx: Context, name: string): HTMLTableCellElement {
  const words = ctx.h("span", { class: "nbp-frametext" }, name);
  return ctx.h("td", { "data-tip": name }, indented(ctx, 0, 0, words));
}

function branchCell(ctx: Context, line: Branch, toggle: (frames: boolean) => void) {
  const { h } = ctx;
  const { open, shown, frames } = line;
  const rest = frames.length - 1;
  const twisty =
    open === undefined
      ? h("span", { class: "nbp-twisty" })
      : h.on(
          h(
            "button",
            {
              class: "nbp-twisty",
              type: "button",
              tabindex: -1,
              "aria-expanded": String(open),
              "aria-label": `Calls below ${shown?.text ?? "it"}`,
            },
            open ? "▾" : "▸",
          ),
          { click: () => toggle(false) },
        );
  const words = shown
    ? frameWords(ctx, shown, true)
    : [h("span", { class: "nbp-muted" }, "called directly")];
  const more =
    rest > 0 ? framesButton(ctx, plural(rest, "frame"), line.unfolded, () => toggle(true)) : null;
  const cell = indented(ctx, line.depth, 0, twisty, words, more);
  return h("td", { "data-tip": shown ? stackTip(frames) : null }, cell);
}

function indented({ h }: Context, depth: number, more: number, ...parts: Child[]): HTMLElement {
  const left = INDENT + Math.min(depth, MOST_STEPS) * STEP + more;
  return h("span", { class: "nbp-frameline", style: `padding-left:${left}px` }, ...parts);
}

function framesButton({ h }: Context, words: string, open: boolean, toggle: () => void) {
  const look = { type: "button", class: "nbp-link nbp-mono nbp-muted", tabindex: -1 };
  const button = h("button", { ...look, "aria-expanded": String(open) });
  button.append(`${open ? "−" : "+"} ${words}`);
  return h.on(button, { click: toggle });
}

/** A frame: a link to its source where the server has it, and a button that copies its place. */
function frameWords(ctx: Context, frame: Frame, first = false): Child[] {
  const { h, session, announce } = ctx;
  const { text, user } = frame;
  const look = user || first ? bold(h, text) : text;
  const place = placeOf(frame);
  const at = place && `${place.file}:${place.line}`;
  const words = h("span", { class: "nbp-mono nbp-frametext" }, look);
  watchSource(session, frame, ({ href, open }) =>
    words.replaceWith(
      h.on(
        h(
          "a",
          {
            class: "nbp-mono nbp-frametext nbp-link",
            href,
            target: "_blank",
            rel: "noopener",
            tabindex: -1,
            "aria-label": `${text}, open ${at}`,
          },
          ...words.childNodes,
        ),
        {
          click: (event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a tab of its own
            event.preventDefault();
            open(event.currentTarget as Element);
          },
        },
      ),
    ),
  );
  if (!at) return [words];
  const copy = h("button", {
    type: "button",
    class: "nbp-link",
    tabindex: -1,
    "aria-label": `Copy ${at}`,
  });
  copy.append("Copy");
  h.on(copy, { click: () => void copyText(at).then(() => announce(`${at} copied`)) });
  return [words, copy];
}
