/** `Level`: the stacked blocks of a reply, each as runs of columns at one height of the stack. */
import type { Blocks } from "../../../core/protocol/protocol";
import { type Column, readRows } from "../../../values/arrow";

export type Span = readonly [start: number, end: number];

/** Reserved memory up to this multiple of the peak is within the picture. */
const MOST_IDLE = 1.6;

/** A drawn block. */
export interface Block {
  /** Its index in the order of stacking; identifies it in every reply. */
  block: number;
  bytes: number;
  /** The innermost frames, joined by ";"; empty if not recorded. */
  stack: string;
  slot: number;
  category: string;
  match: boolean;
  start_us: number | null;
  end_us: number | null;
}

/** What is at a place of the chart: a block, or the band of all that are too low to see. */
export type Hit = { block: Block; column: number } | { rest: number; column: number };

/** Columns `from` to `to` in which a block lies at one height. */
interface Runs {
  readonly block: readonly number[];
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly base: readonly number[];
}

export class Level {
  readonly span: Span;
  readonly columns: number;
  readonly blocks: Block[] = [];
  readonly total: Float64Array;
  readonly rest: Float64Array;
  readonly reserved: Float64Array;
  readonly moment: Float64Array;
  readonly runs: Runs;
  readonly #first: Float64Array;
  readonly #last: Float64Array;

  constructor(
    readonly info: Blocks,
    [blocks = new Uint8Array(), columns = new Uint8Array()]: readonly Uint8Array[],
  ) {
    this.span = info.range;
    this.columns = info.columns;
    const rows = readRows(blocks);
    const column = (name: string) => numbers(rows.column(name), rows.length);
    const [block, bytes, stack, category] = ["block", "bytes", "stack", "category"].map(column);
    const [match, start, end] = ["match", "start_us", "end_us"].map(column);
    this.#first = column("first");
    this.#last = column("last");
    for (let at = 0; at < rows.length; at += 1) {
      const code = stack?.[at] ?? -1;
      this.blocks.push({
        block: block?.[at] ?? 0,
        bytes: bytes?.[at] ?? 0,
        stack: info.stacks[code] ?? "",
        slot: info.slots[code] ?? -1,
        category: info.categories[category?.[at] ?? -1] ?? "",
        match: match?.[at] !== 0,
        start_us: known(start?.[at]),
        end_us: known(end?.[at]),
      });
    }
    const sums = readRows(columns);
    const sum = (name: string) => numbers(sums.column(name), sums.length);
    this.total = sum("total");
    this.rest = sum("rest");
    this.reserved = sum("reserved");
    this.moment = sum("moment");
    this.runs = this.#stacked();
  }

  covers([start, end]: Span): boolean {
    return this.span[0] <= start && this.span[1] >= end;
  }

  /** Width of a column on the axis. */
  get pixel(): number {
    return (this.span[1] - this.span[0]) / this.columns;
  }

  /** The most memory in use; the most that was reserved, unless it is so much that blocks vanish. */
  get most(): number {
    const most = (values: Float64Array) => values.reduce((one, other) => Math.max(one, other), 0);
    const [used, reserved] = [most(this.total), most(this.reserved)];
    return reserved <= used * MOST_IDLE ? Math.max(used, reserved) : used;
  }

  columnAt(place: number): number {
    const column = Math.floor((place - this.span[0]) / this.pixel);
    return Math.min(Math.max(column, 0), this.columns - 1);
  }

  /** What is in a column at a height of the stack, in bytes; null for nothing. */
  hit(place: number, bytes: number): Hit | null {
    if (place < this.span[0] || place > this.span[1]) return null;
    const column = this.columnAt(place);
    const rest = this.rest[column] ?? 0;
    const total = this.total[column] ?? 0;
    if (bytes < 0 || bytes > total) return null;
    if (bytes >= total - rest) return rest > 0 ? { rest, column } : null;
    let base = 0;
    for (const [at, block] of this.blocks.entries()) {
      if ((this.#first[at] as number) > column || (this.#last[at] as number) <= column) continue;
      base += block.bytes;
      if (bytes < base) return { block, column };
    }
    return null;
  }

  /** The place in `blocks` of a block; -1 if it is not drawn. */
  find(block: number): number {
    return this.blocks.findIndex((one) => one.block === block);
  }

  /**
   * Stack the blocks: new ones on top; where one ends, those above it move down.
   *
   * Blocks are in the order of their starts, so those that start are above all others.
   */
  #stacked(): Runs {
    const runs = {
      block: [] as number[],
      from: [] as number[],
      to: [] as number[],
      base: [] as number[],
    };
    const { length } = this.blocks;
    const begun = new Float64Array(length);
    const bases = new Float64Array(length);
    let active: number[] = [];
    let next = 0;
    let soonest = Number.POSITIVE_INFINITY;
    const close = (at: number, column: number) => {
      if (column <= (begun[at] as number)) return;
      runs.block.push(at);
      runs.from.push(begun[at] as number);
      runs.to.push(column);
      runs.base.push(bases[at] as number);
    };
    for (let column = 0; column < this.columns; column += 1) {
      const starts = next < length && (this.#first[next] as number) <= column;
      if (!starts && column < soonest) continue;
      let base = 0;
      const stay: number[] = [];
      soonest = Number.POSITIVE_INFINITY;
      for (const at of active) {
        const end = this.#last[at] as number;
        if (end <= column) {
          close(at, column);
          continue;
        }
        if (bases[at] !== base) {
          close(at, column);
          begun[at] = column;
          bases[at] = base;
        }
        base += (this.blocks[at] as Block).bytes;
        soonest = Math.min(soonest, end);
        stay.push(at);
      }
      for (; next < length && (this.#first[next] as number) <= column; next += 1) {
        begun[next] = column;
        bases[next] = base;
        base += (this.blocks[next] as Block).bytes;
        soonest = Math.min(soonest, this.#last[next] as number);
        stay.push(next);
      }
      active = stay;
    }
    for (const at of active) close(at, this.columns);
    return runs;
  }
}

function numbers(column: Column | undefined, length: number): Float64Array {
  const values = new Float64Array(length);
  for (let at = 0; at < length; at += 1) values[at] = Number(column?.at(at) ?? Number.NaN);
  return values;
}

function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
