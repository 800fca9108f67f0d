import { describe, expect, test } from "vitest";
import type { SliceRef } from "../../../src/views/timeline/data/messages";
import { type Piece, rowPieces } from "../../../src/views/timeline/data/rows";
import { paintLanes } from "../../../src/views/timeline/drawing/paint";
import { hitOf, hitTest, neighbour } from "../../../src/views/timeline/stage/hittest";
import type { Placed } from "../../../src/views/timeline/state/types";
import { canvas, type Entry, laneOf, levelOf, place, sceneOf } from "./fake";

const WHOLE = { start_ns: 0, end_ns: 1000 };

/** Slice ids of what the pieces draw, and how blocks are cut. */
function drawn(pieces: Piece[]): (number | string)[] {
  return pieces.flatMap(({ items, first, last, low, high }) =>
    [...items.slice.subarray(first, last)].map((slice, at) => {
      if ((items.name[first + at] as number) >= 0) return slice;
      const start = items.start[first + at] as number;
      const end = start + (items.width[first + at] as number);
      return `${Math.max(start, low)}-${Math.min(end, high)}`;
    }),
  );
}

test("a band that covers lanes is hit, not what is under it, and nothing of that is drawn", () => {
  const [band, lane] = place(2) as [Placed, Placed];
  const placed = [band, { ...lane, y: lane.y - 20 }];
  const level = levelOf([[{ start: 0, width: 900, name: 0, slice: 7 }], []]);
  const scene = sceneOf({ placed, levels: [level] });
  expect(hitTest(scene, 50, 10)).toBeNull();
  expect(hitTest(scene, 50, 23)).toMatchObject({ row: 1 });
  expect(hitTest({ ...scene, placed: place(2) }, 50, 30)?.slice?.slice).toBe(7);
  const { ctx, calls } = canvas();
  paintLanes(ctx, scene);
  expect(calls.at(-1)).toMatchObject({ name: "clearRect", args: [0, 0, 1000, 22] });
});

describe("rows of several levels", () => {
  const coarse = levelOf([
    [
      { start: 0, width: 150, name: 0, slice: 1 },
      { start: 160, width: 80, slice: 2 },
      { start: 250, width: 40, name: 0, slice: 9 },
      { start: 290, width: 120, slice: 10 },
      { start: 500, width: 100, name: 0, slice: 20 },
    ],
  ]);
  const fine = levelOf(
    [
      [
        { start: 200, width: 5, name: 1, slice: 5 },
        { start: 250, width: 40, name: 1, slice: 9 },
        { start: 390, width: 15, name: 1, slice: 15 },
      ],
    ],
    { start_ns: 200, end_ns: 400 },
  );

  test("the later level is drawn in its window, the earlier one beside it", () => {
    const pieces = rowPieces([coarse, fine], 0, WHOLE);
    expect(drawn(pieces)).toEqual([1, "160-200", 5, 9, 15, "400-410", 20]);
  });

  test("a slice that reaches into the later window is drawn once", () => {
    const before = levelOf([[{ start: 100, width: 200, name: 0, slice: 4 }]]);
    const after = levelOf([[{ start: 100, width: 200, name: 0, slice: 4 }]], {
      start_ns: 200,
      end_ns: 400,
    });
    expect(drawn(rowPieces([before, after], 0, WHOLE))).toEqual([4]);
    expect(drawn(rowPieces([after, before], 0, WHOLE))).toEqual([4]);
  });

  test("a row that the later level does not answer stays; one that is empty there is empty", () => {
    const elsewhere = levelOf([], { start_ns: 0, end_ns: 1000, rows: [[5, 9]] });
    expect(drawn(rowPieces([coarse, elsewhere], 0, WHOLE))).toHaveLength(5);
    const empty = levelOf([[]], { start_ns: 0, end_ns: 450 });
    expect(drawn(rowPieces([coarse, empty], 0, WHOLE))).toEqual([20]);
  });

  test("only what the window shows is taken", () => {
    expect(drawn(rowPieces([coarse], 0, { start_ns: 240, end_ns: 500 }))).toEqual([9, "290-410"]);
    expect(drawn(rowPieces([coarse, fine], 0, { start_ns: 205, end_ns: 250 }))).toEqual([]);
  });

  test("at every time the last level that answers is drawn, and gaps are its own", () => {
    const covers = (entries: Entry[], time: number) =>
      entries.some(({ start, width }) => time >= start && time < start + width);
    const random = (seed: number) => () => {
      seed = (seed * 16807) % 2147483647;
      return seed / 2147483647;
    };
    for (let seed = 1; seed < 60; seed += 1) {
      const next = random(seed * 7919);
      const levels = [0, 1, 2].map((depth) => {
        const entries: Entry[] = [];
        for (let time = 0; time < 1000; ) {
          const start = time + Math.floor(next() * 30);
          const width = 1 + Math.floor(next() * 40);
          entries.push({ start, width });
          time = start + width;
        }
        const low = depth ? Math.floor(next() * 500) : 0;
        return {
          entries,
          level: levelOf([entries], { start_ns: low, end_ns: low + 1000 / (depth + 1) }),
        };
      });
      const pieces = rowPieces(
        levels.map(({ level }) => level),
        0,
        WHOLE,
      );
      for (let time = 0.5; time < 1000; time += 1) {
        const last = [...levels]
          .reverse()
          .find(({ level: { info } }) => time >= info.start_ns && time < info.end_ns);
        const here = pieces.filter(({ items, first, last: end, low, high }) =>
          [...items.start.subarray(first, end)].some((start, at) => {
            const stop = start + (items.width[first + at] as number);
            return time >= Math.max(start, low) && time < Math.min(stop, high);
          }),
        );
        if (!last) continue;
        const found = here.map((piece) => levels.findIndex(({ level }) => level === piece.level));
        const asked = levels.indexOf(last);
        if (covers(last.entries, time)) expect(found).toContain(asked);
        // Entries of a later level may reach out of its window, none of an earlier one into it.
        expect(found.every((at) => at >= asked)).toBe(true);
      }
    }
  });
});

describe("pointing", () => {
  const entries: Entry[] = [
    { start: 10, width: 20, name: 0, category: "operator" },
    { start: 30, width: 1, name: 1 },
    { start: 100, width: 50, count: 12, busy: 30, category: "kernel" },
    { start: 300, width: 0.2, name: 3 },
    { start: 302, width: 0.2, name: 2 },
  ];
  const deeper: Entry[] = [{ start: 12, width: 5, name: 1 }];
  const scene = sceneOf({ levels: [levelOf([entries, deeper, []])] });
  // Lanes start at 22, rows three pixels below that.
  const TOP = 25;

  test("finds slices with their names and extents", () => {
    expect(hitTest(scene, 15, TOP + 1)).toMatchObject({
      row: 0,
      time_ns: 15,
      slice: { slice: 0, row: 0, start_ns: 10, end_ns: 30 },
      span: { start_ns: 10, end_ns: 30 },
      name: "aten::conv2d",
      category: "operator",
      count: 1,
      busy_ns: 20,
    });
    expect(hitTest(scene, 13, TOP + 18)).toMatchObject({ row: 1, slice: { slice: 100 } });
    expect(hitTest(scene, 30, TOP + 1)?.slice?.slice).toBe(1);
  });

  test("finds blocks with what they hold, which is no one slice", () => {
    expect(hitTest(scene, 120, TOP + 1)).toMatchObject({
      slice: null,
      span: { start_ns: 100, end_ns: 150 },
      name: "",
      category: "kernel",
      count: 12,
      busy_ns: 30,
    });
  });

  test("finds empty places of lanes, and nothing on bands of groups or beyond", () => {
    const empty = { slice: null, span: null, name: "", category: null, count: 0, busy_ns: 0 };
    expect(hitTest(scene, 60, TOP + 1)).toMatchObject({ row: 0, time_ns: 60, ...empty });
    expect(hitTest(scene, 60, TOP + 50)).toMatchObject({ row: 2, ...empty });
    for (const [x, y] of [
      [15, 5],
      [15, 300],
      [-1, TOP],
      [1000, TOP],
    ] as const) {
      expect(hitTest(scene, x, y)).toBeNull();
    }
  });

  test("reaches two pixels to thin slices, the nearest first, and not to wide ones", () => {
    expect(hitTest(scene, 298.5, TOP + 1)?.slice?.slice).toBe(3);
    expect(hitTest(scene, 301.9, TOP + 1)?.slice?.slice).toBe(4);
    expect(hitTest(scene, 304, TOP + 1)?.slice?.slice).toBe(4);
    expect(hitTest(scene, 305, TOP + 1)?.slice).toBeNull();
    expect(hitTest(scene, 99, TOP + 1)?.count).toBe(0);
    expect(hitTest(scene, 9, TOP + 1)?.slice).toBeNull();
  });

  test("a collapsed lane has its first row only", () => {
    const placed = place(1);
    const lane = laneOf("lane", 0, 2);
    placed[1] = { ...(placed[1] as never as object), lane, depths: 1, collapsed: true } as never;
    expect(hitTest({ ...scene, placed }, 13, TOP + 14)?.row).toBe(0);
  });

  test("what a reference points at is known without asking", () => {
    const ref = { slice: 3, row: 0, start_ns: 300, end_ns: 300.2 };
    expect(hitOf(scene, ref)).toMatchObject({ name: "void at::native::relu<4>(int)", slice: ref });
    expect(hitOf(scene, { ...ref, row: 9 })).toBeNull();
  });

  test("arrow keys go to what is beside, above and below", () => {
    const ref = (row: number, at: number): SliceRef => {
      const { start, width } = (row ? deeper : entries)[at] as Entry;
      return { slice: 100 * row + at, row, start_ns: start, end_ns: start + width };
    };
    const walk = [ref(0, 0)];
    for (;;) {
      const next = neighbour(scene, walk.at(-1) as SliceRef, "right");
      if (!next) break;
      walk.push(next);
    }
    // The block is passed by way of its first slice.
    expect(walk.map(({ slice }) => slice)).toEqual([0, 1, 2, 3, 4]);
    const back = walk.map((each) => neighbour(scene, each, "left")?.slice);
    expect(back).toEqual([undefined, 0, 1, 2, 3]);
    const middle = { ...ref(0, 0), start_ns: 10, end_ns: 20 };
    expect(neighbour(scene, middle, "down")).toEqual(ref(1, 0));
    expect(neighbour(scene, ref(1, 0), "up")).toEqual(ref(0, 0));
    expect(neighbour(scene, ref(1, 0), "down")).toBeNull();
    expect(neighbour(scene, ref(0, 3), "up")).toBeNull();
  });

  test("arrow keys cross from one level to the other", () => {
    const fine = levelOf([[{ start: 30, width: 1, name: 1, slice: 1 }]], {
      start_ns: 30,
      end_ns: 60,
    });
    const levels = [...scene.levels, fine];
    const from = { slice: 1, row: 0, start_ns: 30, end_ns: 31 };
    expect(neighbour({ ...scene, levels }, from, "right")?.slice).toBe(2);
    expect(neighbour({ ...scene, levels }, from, "left")).toMatchObject({ start_ns: 10 });
  });
});
