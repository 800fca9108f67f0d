/** The order of lanes: what is named comes first, and no more is named than must be. */
import { describe, expect, test } from "vitest";
import { inOrder, reordered, siblingsOf } from "../../../src/views/timeline/state/lanes/laneorder";
import { LAYOUT } from "../fake";

const USUAL = ["a", "b", "c", "d"];
const shown = (order: readonly string[]) =>
  inOrder(
    USUAL.map((key) => ({ key })),
    order,
  ).map(({ key }) => key);

test("siblings are the members of one group, or all groups", () => {
  expect(siblingsOf(LAYOUT, "cpu:1:8")).toEqual(["cpu:1:7", "cpu:1:8"]);
  expect(siblingsOf(LAYOUT, "utilization:0")).toEqual(["gpu:0:7", "utilization:0"]);
  expect(siblingsOf(LAYOUT, "device:0")).toEqual(["process:1", "device:0"]);
});

test("what an order names comes first, the rest as usual", () => {
  expect(shown([])).toEqual(USUAL);
  expect(shown(["c"])).toEqual(["c", "a", "b", "d"]);
  expect(shown(["d", "elsewhere", "b"])).toEqual(["d", "b", "a", "c"]);
});

describe("a move", () => {
  test("leads to every place from every order", () => {
    for (const order of [[], ["c"], ["d", "b"], ["b", "a", "d", "c"]])
      for (const key of USUAL)
        for (const before of [...USUAL, null]) {
          if (before === key) continue;
          const rest = shown(order).filter((other) => other !== key);
          const at = before === null ? rest.length : rest.indexOf(before);
          const wanted = [...rest.slice(0, at), key, ...rest.slice(at)];
          expect(shown(reordered(order, USUAL, key, before))).toEqual(wanted);
        }
  });

  test("names only what does not stand as usual, and keeps what belongs elsewhere", () => {
    expect(reordered([], USUAL, "c", "a")).toEqual(["c"]);
    expect(reordered(["x", "c"], USUAL, "c", "d")).toEqual(["x"]);
    expect(reordered(["x"], USUAL, "a", null)).toEqual(["x", "b", "c", "d"]);
  });
});
