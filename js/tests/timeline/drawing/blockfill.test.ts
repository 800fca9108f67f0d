import { expect, test } from "vitest";
import { paintLanes } from "../../../src/views/timeline/drawing/paint";
import { canvas, type Entry, levelOf, PALETTE, sceneOf } from "./fake";

test("blocks have the colour of the name with the most time in them", () => {
  const block = { width: 10, busy: 10 };
  const row: Entry[] = [
    { ...block, start: 0, blockName: 0 },
    { ...block, start: 20, blockName: 1 },
    { ...block, start: 40 },
    { ...block, start: 60, blockName: 3, category: "kernel" },
    { ...block, start: 80, blockName: 0, category: "runtime" },
  ];
  const { ctx, calls } = canvas(1);
  paintLanes(ctx, sceneOf({ levels: [levelOf([row], { slots: [3, 4, 5, 6] })] }));
  const { slots, kernels, categories } = PALETTE;
  const colors = [slots[3], slots[4], categories[0], kernels[3], categories[1]];
  const drawn = calls.filter(({ name, args }) => name === "fillRect" && args[3] === 15);
  drawn.sort((a, b) => Number(a.args[0]) - Number(b.args[0]));
  expect(drawn.map(({ args, fillStyle }) => [args[0], fillStyle])).toEqual(
    colors.map((color, at) => [at * 20, color]),
  );
});
