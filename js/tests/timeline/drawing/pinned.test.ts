/** Pinned lanes on the canvas, under which the others scroll away. */
import { expect, test } from "vitest";
import { paintLanes } from "../../../src/views/timeline/drawing/paint";
import type { Placed, Scene } from "../../../src/views/timeline/state/types";
import { canvas, type Entry, levelOf, PALETTE, place, sceneOf } from "./fake";

function paint(options: Partial<Scene>) {
  const { ctx, calls } = canvas(1);
  paintLanes(ctx, sceneOf(options));
  return { calls, of: (name: string) => calls.filter((call) => call.name === name) };
}

test("pinned lanes and the others are drawn apart, each in its part of the canvas", () => {
  const [band, first, second] = place(2, 1) as [Placed, Placed, Placed];
  const pinned = [band, first].map((item) => ({ ...item, pinned: true }) as Placed);
  // The other lane has scrolled so far that it is partly under the pinned one.
  const under = { ...second, y: first.y + first.height - 8 } as Placed;
  const rows: Entry[][] = [
    [{ start: 0, width: 9, name: 0 }],
    [],
    [{ start: 5, width: 9, name: 0 }],
  ];
  const { of, calls } = paint({ placed: [...pinned, under], levels: [levelOf(rows)] });
  const edge = first.y + first.height;
  expect(of("rect").map(({ args }) => args)).toEqual([
    [0, 0, 1000, edge],
    [0, edge, 1000, 400 - edge],
  ]);
  const clips = calls.flatMap(({ name }, at) => (name === "clip" ? [at] : []));
  const drawn = calls.flatMap((call, at) => (call.fillStyle === PALETTE.slots[0] ? [at] : []));
  const [one, other] = clips as [number, number];
  expect(drawn.filter((at) => at > one && at < other)).toHaveLength(1);
  expect(drawn.filter((at) => at > other)).toHaveLength(1);
  expect(paint({ levels: [levelOf(rows)] }).of("clip")).toEqual([]);
});
