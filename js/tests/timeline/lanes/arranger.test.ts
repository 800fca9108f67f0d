import { expect, test } from "vitest";
import type { Context } from "../../../src/core/context";
import { maker } from "../../../src/core/dom";
import { HiddenBelow } from "../../../src/views/timeline/stage/hiddenbelow";
import { StateHolder } from "../../../src/views/timeline/state/holder";
import { Arranger } from "../../../src/views/timeline/state/lanes/arranger";
import { GROUP_HEIGHT } from "../../../src/views/timeline/state/lanes/placement";
import { LAYOUT } from "../fake";

/** Lanes of one row, 21 px high, under a band of 22 px. */
function lanes(count: number, groups = LAYOUT.groups) {
  const [model] = LAYOUT.lanes;
  const many = Array.from({ length: count }, (_, at) => ({
    ...(model as (typeof LAYOUT.lanes)[0]),
    key: `lane ${at}`,
    first_row: at,
    depths: 1,
  }));
  const state = new StateHolder(new AbortController().signal);
  const arranger = new Arranger(state, () => ({}));
  state.set({ layout: { ...LAYOUT, groups, lanes: many } });
  arranger.fold();
  arranger.update();
  arranger.setSize(800, 100);
  return arranger;
}

/** A lane of two rows that is folded at first, and one of one row. */
function folding() {
  const [model] = LAYOUT.lanes;
  const first = { ...(model as (typeof LAYOUT.lanes)[0]), key: "frames", folded: "Python frame" };
  const second = { ...first, key: "other", first_row: 2, depths: 1 };
  const state = new StateHolder(new AbortController().signal);
  const arranger = new Arranger(state, () => ({}));
  const layout = { ...LAYOUT, lanes: [first, second] };
  state.set({ layout });
  arranger.fold();
  arranger.update();
  return { arranger };
}

test("a row that is scrolled to is not under the band", () => {
  const arranger = lanes(20);
  arranger.scrollTo(200);
  for (const row of [12, 3, 9, 0]) {
    arranger.revealRow(row);
    const box = arranger.rows.boxOfRow(row) ?? { top: 0, bottom: 0 };
    expect(box.top - arranger.scrollTop).toBeGreaterThanOrEqual(GROUP_HEIGHT);
    expect(box.bottom - arranger.scrollTop).toBeLessThanOrEqual(100);
  }
});

test("a lane that the band covers is not among those in sight", () => {
  const arranger = lanes(20);
  arranger.scrollTo(22);
  const keys = (one: number, other: number) => arranger.lanesBetween(one, other).map((l) => l.key);
  expect(keys(30, 0)).toEqual(["lane 1"]);
  expect(keys(3, 20)).toEqual([]);
});

test("a band that is held stays in sight when its group folds", () => {
  const arranger = lanes(20);
  arranger.scrollTo(200);
  arranger.toggleCollapsed("process:1");
  expect(arranger.scrollTop).toBe(0);
  expect(arranger.onScreen[0]).toMatchObject({ type: "group", collapsed: true, y: 0 });
});

test("the note at the lower edge counts the lanes below, and leads to the first of them", () => {
  const arranger = lanes(20);
  const h = maker(new AbortController().signal);
  const below = new HiddenBelow({ h } as Context, arranger, () => {});
  below.update();
  // Of 100 px the band takes 22, and so does the note: two lanes are whole, and GPU 0 is below.
  expect(below.el.textContent).toBe("↓ 18 more threads, GPU 0 below");
  below.el.click();
  expect(arranger.onScreen[0]).toMatchObject({ type: "group", y: 0 });
  expect(arranger.scrollTop).toBe(42);
  arranger.scrollTo(arranger.rows.height);
  below.update();
  expect(below.el.hidden).toBe(true);
  arranger.toggleHidden("device:0");
  arranger.scrollTo(arranger.rows.height - 120);
  below.update();
  expect(below.el.textContent).toBe("↓ 2 more threads below");
});

test("groups are closed at first where Python says so, and stay open once they were opened", () => {
  const [first, ...others] = LAYOUT.groups;
  const arranger = lanes(3, [{ ...first, collapsed: true } as never, ...others]);
  const closed = () => arranger.onScreen[0]?.type === "group" && arranger.onScreen[0].collapsed;
  expect(closed()).toBe(true);
  arranger.toggleCollapsed("process:1");
  arranger.fold();
  arranger.update();
  expect(closed()).toBe(false);
});

test("what is folded at first stays open once it was opened", () => {
  const { arranger } = folding();
  expect(arranger.rows.lanes).toHaveLength(2);
  expect(arranger.rows.laneOfRow(1)).toBeNull();
  arranger.toggleCollapsed("frames");
  expect(arranger.rows.laneOfRow(1)?.lane.key).toBe("frames");
  arranger.fold();
  arranger.update();
  expect(arranger.rows.laneOfRow(1)?.lane.key).toBe("frames");
});

test("pinned lanes are among those between two heights, those under them are not", () => {
  const arranger = lanes(20);
  arranger.setSize(800, 200);
  arranger.togglePinned("lane 5");
  arranger.scrollTo(150);
  const keys = (one: number, other: number) => arranger.lanesBetween(one, other).map((l) => l.key);
  expect(keys(24, 40)).toEqual(["lane 5"]);
  // 43 px are pinned, then the band takes 22; below are the lanes from 215 px on.
  expect(keys(24, 90)).toEqual(["lane 5", "lane 8", "lane 9"]);
  expect(keys(50, 60)).toEqual([]);
});

test("a row is scrolled to below the pinned lanes, and a pinned one is in sight", () => {
  const arranger = lanes(20);
  arranger.setSize(800, 200);
  arranger.togglePinned("lane 5");
  for (const row of [15, 0, 19, 3]) {
    arranger.revealRow(row);
    const y = (arranger.rows.boxOfRow(row)?.top ?? 0) - arranger.scrollTop;
    expect(y).toBeGreaterThanOrEqual(2 * GROUP_HEIGHT + 21);
    expect(y).toBeLessThan(200);
    const before = arranger.scrollTop;
    arranger.revealRow(5);
    expect(arranger.scrollTop).toBe(before);
  }
});
