/** The small charts in headers: what they show, and the search that a brush makes. */
import { describe, expect, test } from "vitest";
import { maker } from "../../src/core/dom";
import type { Spread } from "../../src/core/protocol/protocol";
import { spreadsOf } from "../../src/spreads/bins";
import { type Conditions, keptBins, searchOf } from "../../src/spreads/brushing";
import { chart } from "../../src/spreads/chart";
import { columnSpecs } from "../../src/table/columns";
import { Rows } from "../../src/values/arrow";

const SPREAD: Spread = { edges: [0, 10, 20, 40], counts: [8, 0, 1], single: false };
const STREAMS: Spread = { edges: [7, 8, 9, 10], counts: [2, 0, 1], single: true };

function drawn(conditions: Conditions = [], spread = SPREAD) {
  const brushed: unknown[] = [];
  const column = { name: "queue_us", unit: "us", meaning: "", kind: "float" };
  const [spec] = columnSpecs("any", [{ ...column, at: () => null } as never]);
  if (!spec) throw new Error("There is no column.");
  const brush = (bins: unknown) => brushed.push(bins);
  const units = new Map();
  const h = maker(new AbortController().signal);
  const box = chart(h, { spec, spread, units, conditions, brush });
  box.getBoundingClientRect = () => ({ left: 100, width: 30 }) as DOMRect;
  box.setPointerCapture = () => {};
  const point = (type: string, x: number) =>
    box.dispatchEvent(new MouseEvent(type, { clientX: x, bubbles: true }));
  const on = () => [...box.children].map((bar) => bar.hasAttribute("data-on"));
  const tips = () => [...box.children].map((bar) => bar.getAttribute("data-tip"));
  return { box, brushed, point, on, tips };
}

test("bars are as high as their part of the rows, and low ones are seen", () => {
  const { box, on, tips } = drawn();
  const parts = [...box.children].map((bar) =>
    (bar as HTMLElement).style.getPropertyValue("--part"),
  );
  expect(parts).toEqual(["100%", "0%", "14%"]);
  expect(on()).toEqual([false, false, false]);
  expect(tips()[2]).toBe("Queue 20 to 40: 1 row. Drag to show some.");
  expect(drawn([], STREAMS).tips()[0]).toBe("Queue 7: 2 rows. Drag to show some.");
});

test("a drag in either direction gives the bins, and marks them meanwhile", () => {
  const { brushed, point, on } = drawn();
  point("pointerdown", 128);
  point("pointermove", 115);
  expect(on()).toEqual([false, true, true]);
  point("pointerup", 50);
  expect(brushed).toEqual([[0, 2]]);
  point("pointermove", 105);
  expect(brushed).toHaveLength(1);
});

test("the bins of a search are marked, and a click clears it", () => {
  const { brushed, point, on } = drawn([
    ["queue_us", ">=", 10],
    ["queue_us", "<=", 40],
    ["stream", "=", 7],
  ]);
  expect(on()).toEqual([false, true, true]);
  point("pointerdown", 105);
  point("pointerup", 105);
  expect(brushed).toEqual([null]);
});

describe("a brush", () => {
  const conditions: Conditions = [
    ["queue_us", ">=", 10],
    ["stream", "=", 7],
  ];
  const search = "queue >= 10 & stream = 7";

  test("replaces the conditions of its column and leaves the others", () => {
    const searched = { search, conditions };
    expect(searchOf(searched, "queue_us", SPREAD, [0, 0], true)).toBe(
      "stream = 7 & queue_us >= 0 & queue_us < 10",
    );
    expect(searchOf(searched, "queue_us", SPREAD, null, true)).toBe("stream = 7");
  });

  test("keeps a plain text as one about names, where there are any", () => {
    const searched = { search: "gemm", conditions: [] };
    // The last bin has its upper edge, too.
    const own = "queue_us >= 10 & queue_us <= 40";
    expect(searchOf(searched, "queue_us", SPREAD, [1, 2], true)).toBe(`name : gemm & ${own}`);
    expect(searchOf(searched, "queue_us", SPREAD, [1, 2], false)).toBe(own);
    const unsearched = { search: "", conditions: [] };
    expect(searchOf(unsearched, "queue_us", SPREAD, [1, 2], true)).toBe(own);
  });

  test("names whole numbers that have a bin each", () => {
    const searched = { search: "", conditions: [] };
    expect(searchOf(searched, "stream", STREAMS, [2, 2], true)).toBe("stream = 9");
    expect(searchOf(searched, "stream", STREAMS, [0, 1], true)).toBe("stream >= 7 & stream <= 8");
  });
});

test.each<[Spread, string, number, boolean[]]>([
  [SPREAD, ">", 10, [false, true, true]],
  [SPREAD, ">=", 40, [false, false, true]],
  [SPREAD, ">", 40, [false, false, false]],
  [SPREAD, "<", 10, [true, false, false]],
  [SPREAD, "<=", 10, [true, true, false]],
  [SPREAD, "=", 10, [false, true, false]],
  [SPREAD, "!=", 10, [true, true, true]],
  [STREAMS, ">", 7, [false, true, true]],
  [STREAMS, "<", 9, [true, true, false]],
  [STREAMS, "=", 8, [false, true, false]],
  [STREAMS, "!=", 7, [false, true, true]],
])("bins that may hold what a condition keeps: %j %s %d", (spread, operator, value, kept) => {
  expect(keptBins("a", spread, [["a", operator, value]])).toEqual(kept);
  expect(keptBins("b", spread, [["a", operator, value]])).toBeNull();
});

test("values are counted in bins, and few rows are not", () => {
  const values = [1, 2, 2, 1000, null];
  const rows = (length: number) =>
    new Rows(length, [
      { name: "a", kind: "float", unit: "", meaning: "", at: (row) => values[row] ?? null },
    ]);
  expect(spreadsOf(rows(50))).toEqual({});
  const { edges, counts } = spreadsOf(rows(51)).a ?? SPREAD;
  expect(edges).toHaveLength(21);
  expect([edges[0], edges[1], edges[20]]).toEqual([1, 1.4125, 1000]);
  expect([counts[0], counts[2], counts[19]]).toEqual([1, 2, 1]);
});
