/**
 * Selects the items of a chart with pointer and keys, and shows the selection.
 *
 * The selection is the trait that tables and the timeline share. A veil over the figure mutes the
 * other items, so no figure is redrawn, and charts with and without BokehJS behave alike.
 */

import { type Source, sourceColumn } from "../chart/bokeh";
import type { Context } from "../core/context";
import { setAttributes } from "../core/dom";
import type { Items } from "../core/protocol/protocol";
import { sameKey, useOf } from "../core/state/selecting";
import { watch } from "../core/state/signals";
import type { Key } from "../core/state/traits";
import { showInTimeline } from "../table/links/slices";
import { countOf, itemAt, outline, type Picks } from "./items";

/** The key column of the selection, and the column of the source with its values. */
const COLUMNS: Record<Picks, [key: string, source: string]> = {
  steps: ["step", "step"],
  name: ["name", "name"],
  worker: ["worker", "name"],
};
/** A shorter movement is a click, CSS px. */
const DRAG = 4;
const NS = "http://www.w3.org/2000/svg";

interface Size {
  width: number;
  height: number;
}

type Way = "only" | "toggle" | "range";

export class Picker {
  /** The overlay of the figure: the veil, the outline of the selection, and the cursor. */
  readonly el = document.createElementNS(NS, "svg");
  #paths = ["veil", "chosen", "cursor"].map((part) => {
    const path = document.createElementNS(NS, "path");
    path.dataset.part = part;
    this.el.append(path);
    return path;
  });
  #items: Items | null = null;
  #source: Source | null = null;
  #keys: (Key | null)[] = [];
  /** The item that the keys have reached, and the item at which a range begins. */
  #cursor = -1;
  #anchor = -1;
  /** The item at which a drag began, with its position; the rows that it spans. */
  #from: { row: number; x: number } | null = null;
  #draft: number[] | null = null;
  #size: Size | undefined;

  constructor(
    private readonly ctx: Context,
    private readonly figure: HTMLElement,
    private readonly picks: Picks,
  ) {
    this.el.classList.add("nbp-picks");
    this.el.setAttribute("aria-hidden", "true");
    const { h } = ctx;
    h.on(figure, {
      keydown: (event) => this.#key(event),
      focus: () => this.#draw(),
      blur: () => {
        delete figure.dataset.pointer;
        this.#draw();
      },
    });
    // Before BokehJS: it would select by its own rules.
    for (const [name, run] of [
      ["pointerdown", (event: PointerEvent) => this.#down(event)],
      ["pointermove", (event: PointerEvent) => this.#move(event)],
      ["pointerup", (event: PointerEvent) => this.#up(event)],
      ["pointercancel", () => this.#drop()],
    ] as const)
      figure.addEventListener(name, run as EventListener, { capture: true, signal: ctx.signal });
    watch(() => {
      ctx.session.get("selection");
      this.#draw();
    }, ctx.signal);
  }

  /**
   * Use the items of the chart that was drawn; null for a chart without items.
   *
   * @param size - the size of a drawing, which shrinks where there is less room
   */
  set(items: Items | null, source: Source | null, size?: Size): void {
    this.#size = size;
    setAttributes(this.el, {
      viewBox: size ? `0 0 ${size.width} ${size.height}` : null,
      width: size?.width ?? "100%",
      height: size?.height ?? "100%",
    });
    this.#items = items && source && countOf(source) ? items : null;
    this.#source = source;
    const [key, column] = COLUMNS[this.picks];
    const values = this.#items && source ? sourceColumn(source, column) : [];
    this.#keys = values.map((one) =>
      typeof one === "number" || (typeof one === "string" && one) ? { [key]: one } : null,
    );
    this.#cursor = Math.min(this.#cursor, this.#keys.length - 1);
    setAttributes(this.figure, {
      role: this.#items ? "application" : "img",
      tabindex: this.#items ? 0 : null,
      "aria-roledescription": this.#items ? "chart; arrows select, Enter filters" : null,
    });
    this.#draw();
  }

  #draw(): void {
    const [veil, chosen, cursor] = this.#paths;
    const [items, source] = [this.#items, this.#source];
    const rows = this.#draft ?? this.#selected();
    const put = (path: SVGPathElement | undefined, shown: readonly number[]) =>
      path?.setAttribute("d", items && source ? outline(items, source, shown) : "");
    const own = new Set(rows);
    put(veil, rows.length ? [...this.#keys.keys()].filter((row) => !own.has(row)) : []);
    put(chosen, rows);
    put(cursor, this.#cursor >= 0 && this.#hasFocus() ? [this.#cursor] : []);
  }

  /** The rows that are selected, in this chart or in other parts of the screen. */
  #selected(): number[] {
    const selection = this.ctx.session.get("selection") ?? [];
    const [name] = COLUMNS[this.picks];
    const values = new Set(selection.map((key) => key[name]));
    return this.#keys.flatMap((key, row) => (key && values.has(key[name]) ? [row] : []));
  }

  #pick(row: number, way: Way): void {
    const key = this.#keys[row];
    if (!key) return;
    const before = this.#selected();
    const from = this.#anchor >= 0 && way === "range" ? this.#anchor : row;
    let rows = rowsBetween(from, row);
    if (way === "toggle")
      rows = before.includes(row) ? before.filter((one) => one !== row) : [...before, row];
    else if (way === "only" && before.length === 1 && before[0] === row) rows = [];
    this.#cursor = row;
    if (way !== "range" || this.#anchor < 0) this.#anchor = row;
    this.#choose(rows);
  }

  #choose(rows: readonly number[]): void {
    const { session } = this.ctx;
    const keys = rows.map((row) => this.#keys[row]).filter((key): key is Key => Boolean(key));
    const selection = keys.filter((key, at) => keys.findIndex((one) => sameKey(one, key)) === at);
    session.set({ selection });
    const said = useOf(session)?.said ?? `${keys.length} items`;
    this.ctx.announce(keys.length ? `${said} selected` : "Nothing selected");
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0 || !this.#items) return;
    const { row, x } = this.#at(event);
    event.stopPropagation();
    event.preventDefault();
    this.figure.dataset.pointer = "";
    this.figure.focus({ preventScroll: true });
    this.#from = { row, x };
    this.figure.setPointerCapture?.(event.pointerId);
  }

  #move(event: PointerEvent): void {
    const from = this.#from;
    if (!this.#items || !from) {
      if (this.#items) this.figure.style.cursor = this.#keyAt(event) ? "pointer" : "";
      return;
    }
    const { x } = this.#at(event);
    if (this.#items.kind !== "columns" || from.row < 0 || Math.abs(x - from.x) < DRAG) return;
    event.stopPropagation();
    const to = Math.floor((x - this.#items.x) / this.#items.inner);
    const last = this.#keys.length - 1;
    this.#draft = rowsBetween(from.row, Math.min(last, Math.max(0, to)));
    this.#draw();
  }

  #up(event: PointerEvent): void {
    const [from, draft] = [this.#from, this.#draft];
    if (!from) return;
    event.stopPropagation();
    this.#drop();
    const command = event.ctrlKey || event.metaKey;
    if (draft) {
      this.#anchor = draft[0] ?? -1;
      this.#choose(command ? [...new Set([...this.#selected(), ...draft])] : draft);
    } else if (this.#keys[from.row])
      this.#pick(from.row, event.shiftKey ? "range" : command ? "toggle" : "only");
    else if (from.row < 0) this.#choose([]);
  }

  #drop(): void {
    this.#from = null;
    this.#draft = null;
    this.#draw();
  }

  #keyAt(event: PointerEvent): Key | null {
    return this.#keys[this.#at(event).row] ?? null;
  }

  /** The item under the pointer, and the position in the figure; drawings may be scaled down. */
  #at(event: PointerEvent): { row: number; x: number } {
    const box = this.el.getBoundingClientRect();
    const scale = this.#size && box.width ? this.#size.width / box.width : 1;
    const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    const row = this.#items && this.#source ? itemAt(this.#items, this.#source, x, y) : -1;
    return { row, x };
  }

  #key(event: KeyboardEvent): void {
    if (!this.#items) return;
    delete this.figure.dataset.pointer;
    const last = this.#keys.length - 1;
    const selected = this.#selected();
    const at = this.#cursor >= 0 ? this.#cursor : (selected[0] ?? -1);
    const moves: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: last,
    };
    const command = event.ctrlKey || event.metaKey;
    const to = moves[event.key];
    if (to !== undefined) {
      const row = Math.min(last, Math.max(0, to));
      const alone = selected.length === 1 && selected[0] === row;
      if (command || !this.#keys[row]) {
        this.#cursor = row;
        this.#draw();
        const [name] = Object.values(this.#keys[row] ?? {});
        this.ctx.announce(String(name ?? "Others"));
      } else if (!alone || event.shiftKey) this.#pick(row, event.shiftKey ? "range" : "only");
    } else if (event.key === " ") this.#pick(at, command ? "toggle" : "only");
    else if (event.key === "Enter") this.#apply();
    else if (event.key === "Escape" && selected.length) this.#choose([]);
    else if (event.key.toLowerCase() === "t" && this.picks === "name" && !command)
      showInTimeline(
        this.ctx,
        selected.map((row) => String(this.#keys[row]?.name)),
      );
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #apply(): void {
    const use = useOf(this.ctx.session);
    if (use && !use.done) this.ctx.announce(use.run());
  }

  #hasFocus(): boolean {
    const tree = this.figure.getRootNode() as ShadowRoot | Document;
    return tree.activeElement === this.figure && this.figure.dataset.pointer === undefined;
  }
}

function rowsBetween(a: number, b: number): number[] {
  const first = Math.min(a, b);
  return Array.from({ length: Math.abs(b - a) + 1 }, (_, at) => first + at);
}
