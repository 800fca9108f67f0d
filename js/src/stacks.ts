/** Call stacks under the row of an operator: frames of the user first, the library's folded. */
import { type Rows, readRows } from "./arrow";
import { valueCell } from "./cells";
import type { ColumnSpec } from "./columns";
import type { Context } from "./context";
import type { TimeUnit } from "./format";
import { DASH, formatNumber } from "./format";
import { type Frame, parseStack } from "./names";
import { bold } from "./text";

type Line =
  | { kind: "stack"; row: number; frames: Frame[]; open: boolean }
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
    const none = lines.#lines.every((line) => line.kind === "stack" && line.frames.length === 0);
    return none ? new StackLines(hint ?? "No call stack was recorded for this operator.") : lines;
  }

  get length(): number {
    return this.#lines.length;
  }

  toggle(at: number): void {
    const line = this.#lines[at];
    if (line?.kind !== "stack") return;
    line.open = !line.open;
    if (line.open) {
      const frames = line.frames.map((frame): Line => ({ kind: "frame", frame }));
      this.#lines.splice(at + 1, 0, ...frames);
    } else this.#lines.splice(at + 1, line.frames.length);
  }

  cells(
    { h }: Context,
    at: number,
    specs: readonly ColumnSpec[],
    units: ReadonlyMap<string, TimeUnit>,
    toggle: () => void,
  ): HTMLTableCellElement[] {
    const line = this.#lines[at];
    if (!line) return [h("td", { colspan: specs.length })];
    if (line.kind === "note")
      return [h("td", { colspan: specs.length, class: "nbp-muted" }, line.text)];
    if (line.kind === "frame") {
      const { text, user } = line.frame;
      const frame = h(
        "span",
        { class: "nbp-mono", style: "padding-left:44px" },
        user ? bold(h, text) : text,
      );
      return [h("td", { colspan: specs.length, "data-tip": text }, frame)];
    }
    const rows = this.#rows as Rows;
    return specs.map((spec, index) =>
      index === 0
        ? this.#stackCell(h, line, toggle)
        : spec.kind === "text" || spec.kind === "name"
          ? h("td")
          : valueCell(h, { ...spec, bar: undefined as never }, rows.get(spec.key, line.row), {
              units,
            }),
    );
  }

  #stackCell(h: Context["h"], line: Line & { kind: "stack" }, toggle: () => void) {
    const shown = line.frames.find((frame) => frame.user) ?? line.frames[0];
    const rest = line.frames.length - 1;
    const cell = h("td", { "data-tip": stackTip(line.frames) });
    const first = h("span", { class: "nbp-mono" }, shown ? bold(h, shown.text) : "no call stack");
    const box = h("span", { class: "nbp-namecell", style: "padding-left:24px;gap:12px" });
    if (rest > 0) {
      const words = line.open ? "− hide frames" : `+ ${formatNumber(rest)} frames`;
      const more = h(
        "button",
        {
          type: "button",
          class: "nbp-link nbp-mono nbp-muted",
          "aria-expanded": String(line.open),
        },
        words,
      );
      more.style.flex = "none";
      first.style.overflow = "hidden";
      first.style.textOverflow = "ellipsis";
      box.append(first, h.on(more, { click: toggle }));
    } else box.append(first);
    cell.append(box);
    return cell;
  }
}

/** A whole stack in one cell: the frame of the user, and how many more there are. */
export function stackText(h: Context["h"], stack: string): HTMLTableCellElement {
  const frames = parseStack(stack);
  const shown = frames.find((frame) => frame.user) ?? frames[0];
  if (!shown)
    return h("td", { class: "nbp-muted", "data-tip": "No call stack was recorded." }, DASH);
  const rest = frames.length - 1;
  const more =
    rest > 0 ? h("span", { class: "nbp-muted" }, ` + ${formatNumber(rest)} frames`) : null;
  const text = h("span", { class: "nbp-mono" }, bold(h, shown.text), more);
  return h("td", { "data-tip": stackTip(frames) }, text);
}

const TIP_FRAMES = 24;

function stackTip(frames: readonly Frame[]): string {
  const first = frames.slice(0, TIP_FRAMES).map((frame) => frame.text);
  const more = frames.length - first.length;
  return ["Call stack", ...first, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}
