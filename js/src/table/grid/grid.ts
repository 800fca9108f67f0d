/**
 * A virtual table: only visible lines are in the document, and rows are requested as needed.
 *
 * It is a real `<table role="grid">` with two header rows, and a third one in tables of many rows. All lines have the same height, including
 * those opened under a row (call stacks).
 */
import type { Context } from "../../core/context";
import { fill, setAttributes } from "../../core/dom";
import { DrawnLines } from "./drawnlines";
import { columnElements, type Head, headRows } from "./gridhead";
import type { GridEvents, GridSource } from "./gridsource";
import { HeadKeys } from "./headkeys";
import { SPREAD } from "./spreading";
import { Lines, visibleLines } from "./virtuallines";

const LINE = 26;
const SCROLLBAR = 16;
const LINES_SHOWN = 20;
const HEAD = 52;

export class Grid {
  readonly el: HTMLElement;
  readonly lines = new Lines(0);
  /** Called with the first and last visible row, from 1, for the text under the table. */
  onRange: (first: number, last: number) => void = () => {};

  #table: HTMLTableElement;
  #head: HTMLTableSectionElement;
  #body: HTMLTableSectionElement;
  #drawn: DrawnLines;
  #columns: HTMLTableColElement;
  #columnCount = 0;
  #headKeys: HeadKeys;
  #shownHead: Head | null = null;
  /** A row below the header rows, in the header, too. */
  #below: HTMLElement | null = null;
  #focus = 0;
  #frame = 0;
  // Reading a size or a scroll position makes the browser lay the whole page out at once, which a
  // filter does for every table that it draws anew. So both are read only when they may be others.
  #isScrolled = false;
  #headHeight = 0;

  constructor(
    private readonly ctx: Context,
    label: string,
    private readonly source: GridSource,
    private readonly events: GridEvents,
    /** Number of visible lines before the table scrolls. */
    private readonly linesShown = LINES_SHOWN,
    role: "grid" | "treegrid" = "grid",
  ) {
    const { h } = ctx;
    this.#columns = h("colgroup") as HTMLTableColElement;
    this.#head = h("thead");
    this.#body = h("tbody");
    this.#drawn = new DrawnLines(h, this.#body, LINE);
    this.#table = h(
      "table",
      { role, "aria-label": label, "aria-multiselectable": "true" },
      this.#columns,
      this.#head,
      this.#body,
    );
    this.el = h("div", { class: "nbp-frame nbp-grid" }, this.#table);
    this.#headKeys = new HeadKeys(h, this.#head, {
      resize: (key, width, dragging) =>
        dragging ? this.#stretch(key, width) : events.resize?.(key, width),
      fit: (key) => events.fit?.(key),
      leave: () => this.#focusLine(this.#focus, true),
    });
    h.on(this.el, { scroll: () => this.#scrolled(), keydown: (event) => this.#key(event) });
    h.on(this.#body, {
      click: (event) => this.#click(event),
      dblclick: (event) => this.#double(event),
    });
    if (events.hover) {
      const hover = (event: Event) => {
        const line = lineOf(event);
        events.hover?.(line === null ? null : this.lines.at(line).row);
      };
      const leave = () => events.hover?.(null);
      h.on(this.#body, {
        pointerover: hover,
        focusin: hover,
        pointerleave: leave,
        focusout: leave,
      });
    }
    ctx.signal.addEventListener("abort", () => cancelAnimationFrame(this.#frame), { once: true });
  }

  setHead(head: Head): void {
    const { h } = this.ctx;
    const { specs } = head;
    this.#headHeight = 0;
    this.#columnCount = specs.length;
    this.#shownHead = head;
    const focused = this.#active()?.closest("th")?.dataset.key;
    delete this.el.dataset.stretched;
    this.#layOut(head);
    const resizable = this.events.resize !== undefined;
    const rows = headRows(h, { ...head, resizable }, (key) => this.events.sort(key));
    fill(this.#head, ...rows, this.#below);
    this.#headKeys.settle(head.sort?.[0]);
    setAttributes(this.#table, { "aria-colcount": specs.length });
    if (focused) this.#head.querySelector<HTMLElement>(`[data-key="${focused}"] button`)?.focus();
  }

  /** Show how values are spread in the header, or nothing of that. */
  setBelow(row: HTMLElement | null): void {
    if (row === this.#below) return;
    this.#below?.remove();
    this.#below = row;
    this.#headHeight = 0;
    if (row) this.#head.append(row);
    this.draw(true);
  }

  #layOut(head: Head): void {
    const { specs, nameWidth, fixed } = head;
    const room = this.room(Infinity);
    fill(this.#columns, ...columnElements(this.ctx.h, head));
    const width = specs.slice(1).reduce((sum, spec) => sum + spec.width, nameWidth);
    this.#table.style.minWidth = `${width}px`;
    this.#table.style.width = fixed ? `${width}px` : "";
    this.el.toggleAttribute("data-wide", width > room);
  }

  /** Show a column at another width, while its edge is dragged. */
  #stretch(key: string, width: number): void {
    const head = this.#shownHead;
    if (!head || !this.events.resize) return;
    const first = head.specs[0]?.key === key;
    const specs = head.specs.map((spec) => (spec.key === key ? { ...spec, width } : spec));
    this.el.dataset.stretched = ""; // cells may have become too narrow
    this.#layOut({ ...head, specs, ...(first && { nameWidth: width, fixed: true }) });
  }

  setRows(rows: number): void {
    this.lines.rows = rows;
    this.#focus = Math.min(this.#focus, Math.max(0, this.lines.length - 1));
    setAttributes(this.#table, { "aria-rowcount": rows + 2 });
    this.draw();
  }

  /** Whether a table of so many rows has a scroll bar. */
  scrolls(rows: number): boolean {
    return rows > this.linesShown;
  }

  /** Width for the columns of so many rows, CSS px. */
  room(rows: number): number {
    // The element is measured before it has its scroll bar.
    return (this.el.offsetWidth || this.ctx.room()) - 2 - (this.scrolls(rows) ? SCROLLBAR : 0);
  }

  scrollToTop(): void {
    if (this.#isScrolled) this.el.scrollTop = 0;
    this.#isScrolled = false;
    this.#focus = 0;
  }

  /** Scroll to a row; the keys continue from there. */
  goTo(row: number, focus: boolean): void {
    const line = this.lines.lineOf(row);
    if (focus) this.#focusLine(line, true);
    else {
      this.#setFocus(line);
      this.#reveal(line);
      this.draw();
    }
  }

  /** Draw the visible lines; of the same rows, only those that were not visible or not yet received. */
  draw(sameRows = false): void {
    const { length } = this.lines;
    const shown = Math.min(this.linesShown, length || 1);
    // Half a line more shows that the table continues; otherwise 16 px are for a scroll bar.
    const head = HEAD + (this.#below ? SPREAD : 0);
    const room = shown * LINE + (this.scrolls(length) ? LINE / 2 : 16);
    const height = head + room;
    this.el.style.maxHeight = `${height}px`;
    const scrollTop = this.#isScrolled ? this.el.scrollTop : 0;
    // The header covers lines that are scrolled: those below it fill the room without it.
    const [first, count] = visibleLines(scrollTop, room, LINE, length);
    const hadFocus = this.#body.contains(this.#active());
    const line = (at: number) => this.#line(at);
    if (sameRows) this.#drawn.move([first, count], length, line);
    else this.#drawn.draw([first, count], length, line);
    // The focused line is always in the document, so that Tab reaches it.
    this.#setFocus(Math.max(first, Math.min(this.#focus, first + count - 1)));
    if (hadFocus) this.#focusLine(this.#focus, false);
    const from = this.lines.at(first).row;
    const to = count ? this.lines.at(first + count - 1).row + 1 : from;
    this.source.seen(from, to);
    if (!length) return;
    this.#headHeight ||= this.#head.offsetHeight; // 0 while the table is not shown
    const inView = Math.floor((height - (this.#headHeight || head)) / LINE);
    const top = Math.min(Math.round(scrollTop / LINE), length - 1);
    const bottom = Math.min(length - 1, top + inView - 1);
    this.onRange(this.lines.at(top).row + 1, this.lines.at(bottom).row + 1);
  }

  #scrolled(): void {
    this.#isScrolled = true;
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.draw(true));
  }

  #line(line: number): HTMLElement {
    const { h } = this.ctx;
    const { row, child } = this.lines.at(line);
    const tabindex = line === this.#focus ? 0 : -1;
    if (child >= 0) {
      const cells = this.source.childCells(row, child);
      return h("tr", { class: "nbp-sub", tabindex, "data-line": line }, cells);
    }
    const cells = this.source.cells(row);
    return h(
      "tr",
      {
        tabindex,
        "data-line": line,
        "aria-rowindex": row + 3,
        "aria-selected": this.source.isSelected(row) ? "true" : "false",
        ...this.source.attributes?.(row),
      },
      cells ?? h("td", { colspan: this.#columnCount }, h("span", { class: "nbp-wait" })),
    );
  }

  #click(event: MouseEvent): void {
    const line = lineOf(event);
    if (line === null || (event.target as Element).closest("button")) return;
    this.#setFocus(line);
    const { row, child } = this.lines.at(line);
    if (child >= 0) return;
    if (event.shiftKey && this.events.range) this.events.range(row);
    else this.events.select(row, event.ctrlKey || event.metaKey);
  }

  #double(event: MouseEvent): void {
    const line = lineOf(event);
    if (line === null || (event.target as Element).closest("button")) return;
    this.events.activate(this.lines.at(line).row);
  }

  #key(event: KeyboardEvent): void {
    if ((event.target as Element).tagName !== "TR") return;
    const page = Math.max(1, Math.floor(this.el.clientHeight / LINE) - 3);
    const last = this.lines.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: this.#focus + 1,
      ArrowUp: this.#focus - 1,
      PageDown: this.#focus + page,
      PageUp: this.#focus - page,
      Home: 0,
      End: last,
    };
    const { row, child } = this.lines.at(this.#focus);
    const command = event.ctrlKey || event.metaKey;
    const to = moves[event.key];
    if (to !== undefined) {
      this.#focusLine(Math.min(last, Math.max(0, to)), true);
      if (event.shiftKey) this.events.range?.(this.lines.at(this.#focus).row);
    } else if (event.key === "Enter") this.#press("a[href]") || this.events.activate(row);
    else if (event.key === " ") this.events.select(row, command);
    else if (event.key === "ArrowRight") child < 0 ? this.events.open(row) : this.#fold(false);
    else if (event.key === "ArrowLeft") child >= 0 && this.#fold(true) ? null : this.#closeAt(row);
    else if (event.key === "Escape") this.events.clear();
    else if (event.key === "c" && command)
      this.#press("[aria-label^='Copy ']") || this.events.copy(row);
    else if (event.key.toLowerCase() === "t" && !command && !event.altKey && this.events.show)
      this.events.show(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Press the focused line's button that shows or hides lines; return whether there is one. */
  #fold(open: boolean): boolean {
    return this.#press(`[aria-expanded="${open}"]`);
  }

  /** Click an element in the focused line; return whether it exists. */
  #press(what: string): boolean {
    const found = this.#body.querySelector<HTMLElement>(`[data-line="${this.#focus}"] ${what}`);
    found?.click();
    return found !== null;
  }

  #closeAt(row: number): void {
    this.#focus = this.lines.lineOf(row);
    this.events.close(row);
  }

  #focusLine(line: number, scroll: boolean): void {
    this.#setFocus(line);
    if (scroll) {
      this.#reveal(line);
      this.draw();
    }
    this.#body.querySelector<HTMLElement>(`[data-line="${line}"]`)?.focus({ preventScroll: true });
  }

  #reveal(line: number): void {
    const head = this.#head.offsetHeight || HEAD;
    const top = line * LINE;
    const room = this.el.clientHeight - head - LINE;
    const { scrollTop } = this.el;
    const wanted = Math.max(Math.min(scrollTop, top), top - room);
    if (wanted === scrollTop) return;
    this.el.scrollTop = wanted;
    this.#isScrolled = true;
  }

  #setFocus(line: number): void {
    this.#body.querySelector(`[data-line="${this.#focus}"]`)?.setAttribute("tabindex", "-1");
    this.#focus = line;
    this.#body.querySelector(`[data-line="${line}"]`)?.setAttribute("tabindex", "0");
  }

  #active(): Element | null {
    return (this.el.getRootNode() as ShadowRoot | Document).activeElement ?? null;
  }
}

function lineOf(event: Event): number | null {
  const row = (event.target as Element).closest<HTMLElement>("tr[data-line]");
  return row ? Number(row.dataset.line) : null;
}
