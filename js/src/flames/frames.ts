/** Decodes the reply about the flame graph, and finds frames by position or neighbourhood. */
import { readRows } from "../values/arrow";

/** A part of the graph, in µs or bytes. */
export type Span = readonly [start: number, end: number];

export interface FlameInfo {
  by: "host" | "device" | "bytes" | "time";
  order?: "left_heavy" | "time";
  /** Width of the whole graph. */
  total: number;
  /** Number of frames that match the search. */
  found: number;
  /** False for an invalid pattern, such as one that is still being typed. */
  search_valid?: boolean;
  /** Why there is nothing to draw. */
  empty?: string;
  range?: Span;
  /** Number of depths in the range. */
  depths?: number;
  /** The requested depths. */
  rows?: Span;
  names?: string[];
  slots?: number[];
  shades?: number[];
}

export interface Frame {
  depth: number;
  start: number;
  end: number;
  /** The sum of the frames of a block, which is less than its width if there are gaps. */
  value: number;
  own: number;
  /** "" for a block of several narrow frames. */
  name: string;
  slot: number;
  shade: number;
  /** Code of the category, -1 for a block. */
  kind: number;
  calls: number;
  /** Number of frames in a block, 1 for a single frame. */
  count: number;
  match: boolean;
}

export class Frames {
  /** Frames of each depth, from left to right. */
  readonly #byDepth = new Map<number, Frame[]>();
  readonly all: Frame[] = [];

  constructor(
    readonly info: FlameInfo,
    data: Uint8Array | undefined,
  ) {
    if (!data?.length) return;
    const rows = readRows(data);
    const column = (name: string) => {
      const at = rows.column(name)?.at;
      return (row: number) => Number(at?.(row) ?? 0);
    };
    const [depth, start, end, value, own] = ["depth", "start", "end", "value", "own"].map(column);
    const [name, kind, calls, count] = ["name", "kind", "calls", "count"].map(column);
    for (let row = 0; row < rows.length; row += 1) {
      const code = name?.(row) ?? -1;
      const frame: Frame = {
        depth: depth?.(row) ?? 0,
        start: start?.(row) ?? 0,
        end: end?.(row) ?? 0,
        value: value?.(row) ?? 0,
        own: own?.(row) ?? 0,
        name: info.names?.[code] ?? "",
        slot: info.slots?.[code] ?? 0,
        shade: info.shades?.[code] ?? 0,
        kind: kind?.(row) ?? -1,
        calls: calls?.(row) ?? 0,
        count: count?.(row) ?? 1,
        match: rows.get("match", row) === true,
      };
      this.all.push(frame);
      const row_ = this.#byDepth.get(frame.depth);
      if (row_) row_.push(frame);
      else this.#byDepth.set(frame.depth, [frame]);
    }
  }

  at(depth: number): readonly Frame[] {
    return this.#byDepth.get(depth) ?? [];
  }

  /** The frame of a depth at a position, or one at most `reach` away. */
  hit(depth: number, place: number, reach: number): Frame | null {
    const row = this.at(depth);
    let low = 0;
    let high = row.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((row[middle] as Frame).end < place) low = middle + 1;
      else high = middle;
    }
    const away = (frame: Frame) => Math.max(frame.start - place, place - frame.end, 0);
    const near = [row[low - 1], row[low]].filter((frame) => frame !== undefined);
    near.sort((a, b) => away(a) - away(b));
    const [nearest] = near;
    return nearest && away(nearest) <= reach ? nearest : null;
  }

  /** The frame that an arrow key moves to. */
  beside(frame: Frame, key: string): Frame | null {
    const middle = (frame.start + frame.end) / 2;
    if (key === "ArrowUp") return this.hit(frame.depth - 1, middle, 0);
    if (key === "ArrowDown") {
      const inside = this.at(frame.depth + 1).filter(
        (below) => below.end > frame.start && below.start < frame.end,
      );
      return inside.reduce<Frame | null>(
        (best, below) => (best && best.value >= below.value ? best : below),
        null,
      );
    }
    const row = this.at(frame.depth);
    const at = row.findIndex((other) => other.end > frame.start);
    return row[at + (key === "ArrowLeft" ? -1 : 1)] ?? null;
  }

  /** Find the same frame of an earlier reply in this one. */
  same(frame: Frame): Frame | null {
    const found = this.hit(frame.depth, (frame.start + frame.end) / 2, 0);
    return found?.name === frame.name ? found : null;
  }
}
