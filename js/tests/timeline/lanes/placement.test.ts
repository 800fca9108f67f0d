import { describe, expect, test } from "vitest";
import {
  type Arrangement,
  PINNED,
  place,
  rowHeightFor,
} from "../../../src/views/timeline/state/lanes/arrangement";
import {
  bandBottom,
  covers,
  GROUP_HEIGHT,
  pinnedBottom,
} from "../../../src/views/timeline/state/lanes/placement";
import type { Placed, PlacedGroup, PlacedLane } from "../../../src/views/timeline/state/types";
import { LAYOUT, PLAIN } from "../fake";

const placed = (changes: Partial<Arrangement> = {}) => place(LAYOUT, { ...PLAIN, ...changes });
const keys = (changes: Partial<Arrangement> = {}) =>
  placed(changes).placed.map((item) =>
    item.type === "group" ? item.group.key : item.type === "lane" ? item.lane.key : item.track.key,
  );

const HOST = ["process:1", "cpu:1:7", "cpu:1:8"];
const DEVICE = ["device:0", "gpu:0:7", "utilization:0"];

describe("what is shown, in which order", () => {
  test("groups with their lanes, then their tracks", () => {
    expect(keys()).toEqual([...HOST, ...DEVICE]);
  });

  test("everything stands below the other, without gaps", () => {
    const rows = placed();
    let y = 0;
    for (const item of rows.placed) {
      expect(item.y).toBe(y);
      y += item.height;
    }
    expect(rows.height).toBe(y);
  });

  test("hidden lanes and groups are left out, and groups without a lane", () => {
    expect(keys({ hidden: new Set(["cpu:1:8"]) })).toEqual(["process:1", "cpu:1:7", ...DEVICE]);
    expect(keys({ hidden: new Set(["process:1"]) })).toEqual(DEVICE);
    expect(keys({ hidden: new Set(["gpu:0:7", "utilization:0"]) })).toEqual(HOST);
  });

  test("a collapsed group is its band, a collapsed lane its first row", () => {
    expect(keys({ collapsed: new Set(["process:1"]) })).toEqual(["process:1", ...DEVICE]);
    const lane = placed({ collapsed: new Set(["cpu:1:7"]) }).placed[1];
    expect(lane).toMatchObject({ type: "lane", depths: 1, collapsed: true });
    expect(lane?.height).toBeLessThan(placed().placed[1]?.height ?? 0);
  });

  test("what is pinned stands first, in the order of pinning", () => {
    const pinned = ["gpu:0:7", "cpu:1:8"];
    const rest = ["process:1", "cpu:1:7", "device:0", "utilization:0"];
    expect(keys({ pinned })).toEqual([PINNED, ...pinned, ...rest]);
  });

  test("filters of threads, devices and streams concern only lanes that have one", () => {
    expect(keys({ filter: { threads: [8] } })).toEqual(["process:1", "cpu:1:8", ...DEVICE]);
    expect(keys({ filter: { devices: [1] } })).toEqual(HOST);
    expect(keys({ filter: { streams: [9] } })).toEqual([...HOST, "device:0", "utilization:0"]);
    expect(keys({ filter: { name: "x", steps: [1, 2] } })).toEqual([...HOST, ...DEVICE]);
  });
});

describe("heights and rows", () => {
  const rows = placed();

  test("each row has a box inside of its lane, none over another", () => {
    const boxes = [0, 1, 2, 3].map((row) => rows.boxOfRow(row));
    for (const [row, box] of boxes.entries()) {
      const lane = rows.laneOfRow(row);
      expect(box && lane && box.top >= lane.y && box.bottom <= lane.y + lane.height).toBe(true);
    }
    for (let row = 1; row < 4; row += 1)
      expect(boxes[row]?.top).toBeGreaterThanOrEqual(boxes[row - 1]?.bottom ?? 0);
    expect(rows.boxOfRow(4)).toBeNull();
  });

  test("rows of a collapsed lane other than the first are nowhere", () => {
    const folded = placed({ collapsed: new Set(["cpu:1:7"]) });
    expect(folded.boxOfRow(0)).not.toBeNull();
    expect(folded.boxOfRow(1)).toBeNull();
  });

  test("what lies between two heights: every item that touches them, and no other", () => {
    for (let top = -30; top < rows.height + 30; top += 7) {
      const bottom = top + 25;
      const touching = rows.placed.filter((i) => i.y < bottom && i.y + i.height > top);
      expect(rows.visible(top, 25).map((i) => i.y + top)).toEqual(touching.map((i) => i.y));
      const wanted = [0, 1, 2, 3].filter((row) => {
        const box = rows.boxOfRow(row) as { top: number; bottom: number };
        return box.top < bottom && box.bottom > top;
      });
      const asked = rows.rowsBetween(top, bottom);
      expect(wanted.every((row) => asked.some(([a, b]) => row >= a && row < b))).toBe(true);
      const lanes = touching.flatMap((i) => (i.type === "lane" ? [i.lane.key] : []));
      expect(lanes.every((key) => rows.lanesBetween(bottom, top).some((l) => l.key === key))).toBe(
        true,
      );
    }
  });

  test("the band of the topmost lane stays at the top until the next one pushes it away", () => {
    const edge = rows.placed.find((item) => item.type === "group" && item.y > 0)?.y ?? 0;
    for (let top = 0; top < rows.height; top += 1) {
      const [first, ...rest] = rows.onScreen(top, 60);
      const owner = rows.placed.filter((item) => item.type === "group" && item.y <= top).at(-1);
      expect(first).toMatchObject({ type: "group", group: (owner as PlacedGroup).group });
      const pushed = top < edge ? Math.min(0, edge - top - GROUP_HEIGHT) : 0;
      expect(first?.y).toBe(pushed);
      expect(bandBottom([first as PlacedGroup])).toBe(pushed + GROUP_HEIGHT);
      const others = rows.visible(top, 60).filter((item) => item.type !== "group" || item.y > 0);
      expect(rest).toEqual(others);
    }
  });

  test("pinned lanes stay at the top, and the others scroll away under them", () => {
    const pinned = placed({ pinned: ["gpu:0:7"] });
    const edge = GROUP_HEIGHT + 24;
    for (let top = 0; top < pinned.height - 90; top += 1) {
      const shown = pinned.onScreen(top, 90);
      expect(shown[0]).toMatchObject({ type: "group", y: 0, pinned: true });
      expect(shown[1]).toMatchObject({ type: "lane", y: GROUP_HEIGHT, pinned: true });
      expect(pinnedBottom(shown)).toBe(edge);
      const others = shown.filter((item) => !item.pinned);
      expect(others.every((item) => item.type === "group" || item.y + item.height > edge)).toBe(
        true,
      );
      expect(others[0]).toMatchObject({ type: "group" }); // the band of the topmost one
      expect(bandBottom(shown)).toBeGreaterThan(edge - 1);
      const at = others.find((item) => item.type === "lane");
      const own = pinned.placed.find((item) => item.type === "lane" && item.lane === at?.lane);
      if (own) expect(at?.y).toBe(own.y - top);
      expect(pinned.rowsBetween(top, top + 90).some(([a, b]) => a <= 3 && b > 3)).toBe(true);
    }
  });

  test("pinned lanes that do not fit scroll until the last ones are left", () => {
    const pinned = placed({ pinned: ["cpu:1:7", "gpu:0:7", "utilization:0"] });
    const whole = pinned.edge(0, 100);
    expect(whole).toBeGreaterThan(100);
    expect(pinned.edge(30, 100)).toBe(whole - 30);
    expect(pinned.edge(1000, 100)).toBe(60);
    const [first] = pinned.onScreen(1000, 100);
    expect(first?.y).toBeLessThanOrEqual(0);
  });

  test("rows and curves have the heights that a person chose, within limits", () => {
    const heights = { "cpu:1:7": 30, "gpu:0:7": 9.5, "utilization:0": 1e9, elsewhere: 5 };
    const rows = placed({ heights }).placed;
    expect(rows[1]).toMatchObject({ rowHeight: 30, rowPitch: 32, height: 30 + 32 + 6 });
    expect(rows[4]).toMatchObject({ rowHeight: 9, rowPitch: 10.5 });
    expect(rows[5]).toMatchObject({ type: "track", height: 400 });
    for (const member of rows)
      if (member.type === "lane") {
        const wish = rowHeightFor(member, member.height + 40);
        const higher = placed({ heights: { ...heights, [member.lane.key]: wish } });
        const found = higher.placed.find((one) => one.type === "lane" && one.lane === member.lane);
        expect(Math.abs((found?.height ?? 0) - member.height - 40)).toBeLessThanOrEqual(2);
      }
  });

  test("rows of neighbouring lanes are one range", () => {
    expect(rows.rowsBetween(0, rows.height)).toEqual([[0, 4]]);
    expect(rows.tracksBetween(0, rows.height)).toEqual(["utilization:0"]);
  });
});

describe("where the lanes end on the screen", () => {
  const DEEP = { ...LAYOUT.lanes[0], depths: 60 } as (typeof LAYOUT.lanes)[0];
  const deep = place({ ...LAYOUT, lanes: [DEEP, ...LAYOUT.lanes.slice(2)] }, PLAIN);

  test("what fits stands whole", () => {
    const rows = placed();
    expect(rows.fitting(1000)).toBe(rows.height);
    expect(rows.groupsBelow(rows.height)).toEqual([]);
  });

  test("else no row and no name is cut in two", () => {
    for (const rows of [placed(), deep])
      for (let most = 80; most < rows.height; most += 1) {
        const height = rows.fitting(most);
        expect(height).toBeLessThanOrEqual(most);
        const end = rows.goesOn(height) ? height - GROUP_HEIGHT : height;
        const last = rows.placed.find((item) => item.y < end && item.y + item.height > end);
        if (!last) continue;
        expect(last).toMatchObject({ type: "lane", depths: 60 });
        expect(end - last.y).toBeGreaterThanOrEqual(35);
        expect((end - last.y - 3 + 1) % 17).toBe(0);
      }
  });

  test("lanes of the group in sight are below until their names are in sight", () => {
    const lanes = LAYOUT.lanes.slice(0, 2);
    const rows = place({ ...LAYOUT, lanes, tracks: [] }, PLAIN);
    const names = (bottom: number) =>
      rows.membersBelow(bottom).map((item) => (item.type === "lane" ? item.lane.label : ""));
    const [, first, second] = rows.placed as [Placed, PlacedLane, PlacedLane];
    expect(names(first.y)).toEqual(["Thread 7", "Thread 8"]);
    expect(names(first.y + first.height)).toEqual(["Thread 8"]);
    expect(names(second.y + 20)).toEqual(["Thread 8"]);
    expect(rows.goesOn(second.y + 20)).toBe(true);
    expect(names(rows.height)).toEqual([]);
    expect(rows.goesOn(rows.height)).toBe(false);
    // The note takes its room from the lanes, so that it covers none in part.
    expect(rows.fitting(64)).toBe(first.y + GROUP_HEIGHT);
    expect(placed().membersBelow(22)).toHaveLength(2); // those of the next group are not counted
  });

  test("groups are below until their bands are in sight", () => {
    const { y } = deep.placed.find((item) => item.type === "group" && item.y > 0) ?? { y: 0 };
    expect(deep.groupsBelow(440).map(({ group }) => group.key)).toEqual(["device:0"]);
    expect(deep.groupsBelow(y + GROUP_HEIGHT - 1)).toHaveLength(1);
    expect(deep.groupsBelow(y + GROUP_HEIGHT)).toEqual([]);
  });
});

test("ranges cover others that lie in one of them", () => {
  expect(covers([[0, 4]], [[1, 3]])).toBe(true);
  expect(
    covers(
      [
        [0, 2],
        [3, 9],
      ],
      [
        [0, 2],
        [4, 9],
      ],
    ),
  ).toBe(true);
  expect(
    covers(
      [
        [0, 2],
        [3, 9],
      ],
      [[1, 4]],
    ),
  ).toBe(false);
});
