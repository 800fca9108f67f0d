import { describe, expect, test } from "vitest";
import type { Lane } from "../../../src/views/timeline/data/messages";
import { type Arrangement, place } from "../../../src/views/timeline/state/lanes/arrangement";
import { laneAt, lanesOf } from "../../../src/views/timeline/state/lanes/placement";
import type { Placed, PlacedLane } from "../../../src/views/timeline/state/types";
import { LAYOUT, PLAIN } from "../fake";

describe("lanes without a slice in the window", () => {
  const [first, second, third] = LAYOUT.lanes as [Lane, Lane, Lane];
  const tall = { ...first, depths: 10 };
  const lanes = [tall, { ...second, first_row: 10, depths: 4 }, { ...third, first_row: 14 }];
  const layout = { ...LAYOUT, lanes };
  const boxes = (changes: Partial<Arrangement>) =>
    place(layout, { ...PLAIN, ...changes }).placed.flatMap((item) =>
      item.type === "lane" ? [[item.height, item.rowHeight]] : [],
    );
  const empty = new Set(["cpu:1:7"]);

  test("they are thin, with all their rows, and lanes of one row stay as they are", () => {
    expect(boxes({})).toEqual([
      [174, 15],
      [72, 15],
      [24, 18],
    ]);
    expect(boxes({ empty })).toEqual([
      [20, 1],
      [72, 15],
      [24, 18],
    ]);
    expect(boxes({ empty: new Set(["gpu:0:7"]) })).toEqual(boxes({}));
    const [, lane] = place(layout, { ...PLAIN, empty }).placed as [Placed, PlacedLane];
    expect(lane.depths).toBe(10);
    expect(10 * lane.rowPitch).toBeLessThanOrEqual(20);
  });

  test("the room that they leave goes to the others, up to half more, and the canvas stays", () => {
    const full = place(layout, PLAIN);
    const grown = boxes({ empty, room: full.height });
    expect(grown[1]?.[1]).toBe(22);
    expect(grown[2]?.[1]).toBe(27);
    const some = boxes({ empty, room: full.height - 120 });
    expect(some[1]?.[1]).toBeGreaterThan(15);
    expect(some[1]?.[1]).toBeLessThan(22);
    const rows = place(layout, { ...PLAIN, empty, room: full.height });
    expect(rows.height).toBeLessThanOrEqual(full.height);
    for (const most of [60, 200, 440]) expect(rows.fitting(most)).toBe(full.fitting(most));
  });

  test("a chosen height and a pinned lane stay", () => {
    expect(boxes({ empty, heights: { "cpu:1:7": 15 } })).toEqual(boxes({}));
    expect(boxes({ empty, pinned: ["cpu:1:7"] })[0]).toEqual([174, 15]);
  });
});

describe("a group of streams with little work", () => {
  const stream = LAYOUT.lanes[2] as Lane;
  const groups = [
    ...LAYOUT.groups,
    { key: "device:0:quiet", label: "3 streams", detail: "", collapsed: true, as_lane: true },
  ];
  const quiet = [9, 11, 13].map((number, at) => ({
    ...stream,
    key: `gpu:0:${number}`,
    group: "device:0:quiet",
    label: `Stream ${number}`,
    stream: number,
    first_row: 4 + at,
    slices: 2,
  }));
  const layout = { ...LAYOUT, groups, lanes: [...LAYOUT.lanes, ...quiet] };
  const collapsed = new Set(["device:0:quiet"]);
  const last = (changes: Partial<Arrangement> = {}) =>
    place(layout, { ...PLAIN, collapsed, ...changes }).placed.at(-1) as PlacedLane;

  test("is one lane of fine rows while it is closed, each of its stream", () => {
    const one = last();
    expect(one.lane).toMatchObject({ label: "3 streams", slices: 6, depths: 3, first_row: 4 });
    expect(one.height).toBe(24);
    expect(lanesOf(one)).toHaveLength(3);
    expect(laneAt(one, 5).label).toBe("Stream 11");
    const rows = place(layout, { ...PLAIN, collapsed });
    expect(rows.lanes).toHaveLength(6);
    expect(rows.rowsBetween(0, 1000)).toEqual([[0, 7]]);
  });

  test("is a band with lanes when it is open, and where only some of its lanes are shown", () => {
    const labels = (changes: Partial<Arrangement>) =>
      place(layout, { ...PLAIN, collapsed, ...changes })
        .placed.slice(-4)
        .map((item) => item.type);
    expect(labels({ collapsed: new Set() })).toEqual(["group", "lane", "lane", "lane"]);
    expect(labels({ filter: { streams: [9] } }).slice(-2)).toEqual(["group", "lane"]);
    expect(labels({ hidden: new Set(["gpu:0:9"]) }).at(-1)).toBe("group");
  });

  test("of many streams is no higher than a few lanes", () => {
    const many = Array.from({ length: 200 }, (_, at) => ({
      ...(quiet[0] as Lane),
      key: `gpu:0:${at}`,
      first_row: 4 + at,
    }));
    const rows = place({ ...layout, lanes: [...LAYOUT.lanes, ...many] }, { ...PLAIN, collapsed });
    expect((rows.placed.at(-1) as PlacedLane).height).toBe(42);
  });
});
