/** Maps lines on the screen to table rows and the lines expanded below them. */

interface Line {
  row: number;
  /** Line under the row, from 0; -1 for the row itself. */
  child: number;
}

export class Lines {
  /** Number of lines under each opened row. */
  #open = new Map<number, number>();
  #order: number[] = [];

  constructor(public rows: number) {}

  get length(): number {
    let length = this.rows;
    for (const count of this.#open.values()) length += count;
    return length;
  }

  isOpen(row: number): boolean {
    return this.#open.has(row);
  }

  open(row: number, lines: number): void {
    this.#open.set(row, lines);
    this.#order = [...this.#open.keys()].sort((a, b) => a - b);
  }

  close(row: number): void {
    this.#open.delete(row);
    this.#order = this.#order.filter((other) => other !== row);
  }

  clear(): void {
    this.#open.clear();
    this.#order = [];
  }

  /** The row, and the line under it, that a line shows. */
  at(line: number): Line {
    let before = 0;
    for (const row of this.#order) {
      const own = row + before;
      if (line <= own) break;
      const count = this.#open.get(row) ?? 0;
      if (line <= own + count) return { row, child: line - own - 1 };
      before += count;
    }
    return { row: line - before, child: -1 };
  }

  /** The line that shows a row. */
  lineOf(row: number): number {
    let line = row;
    for (const other of this.#order) if (other < row) line += this.#open.get(other) ?? 0;
    return line;
  }
}

/** Lines that are drawn above and below those in sight. */
const SPARE = 6;

/** First line and number of lines to draw that fill a scrolled frame. */
export function visibleLines(
  top: number,
  height: number,
  lineHeight: number,
  length: number,
): [first: number, count: number] {
  const first = Math.max(0, Math.floor(top / lineHeight) - SPARE);
  const last = Math.min(length, Math.ceil((top + height) / lineHeight) + SPARE);
  return [first, Math.max(0, last - first)];
}
