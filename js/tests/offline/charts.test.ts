/** Charts as shapes: what is drawn, and what a click or a drag on it picks. */

import { describe, expect, it } from "vitest";
import type { Source } from "../../src/chart/bokeh";
import type { Drawing } from "../../src/chart/drawing";
import { drawShapes } from "../../src/chart/svg";
import type { Items } from "../../src/core/protocol/protocol";
import { colorSlots, shortName, stem } from "../../src/offline/charts/colors";
import { donut } from "../../src/offline/charts/donut";
import { labelEvery, roundTicks, spread, ticksBetween } from "../../src/offline/charts/layout";
import { reduceSteps } from "../../src/offline/charts/memory/reduce";
import { nestedBars } from "../../src/offline/charts/nestedbars";
import { drawPoints } from "../../src/offline/charts/points";
import { hatching } from "../../src/offline/charts/sheet";
import { drawSteps } from "../../src/offline/charts/steps/steps";
import { itemAt, outline } from "../../src/picking/items";
import { Rows, type Value } from "../../src/values/arrow";
import { fnv1a } from "../../src/values/names";

function rows(columns: Record<string, Value[]>): Rows {
  const length = Object.values(columns)[0]?.length ?? 0;
  const made = Object.entries(columns).map(([name, values]) => ({
    name,
    unit: "",
    meaning: "",
    at: (row: number) => values[row] ?? null,
  }));
  return new Rows(length, made);
}

const STEPS = rows({
  step: [4, 5, 6],
  total_us: [1000, 2000, 3000],
  kernel_us: [600, 1200, 1800],
  other_us: [400, 800, 1200],
  complete: [true, true, false],
});
const NO_OTHERS = { count: 0, value: 0 };

function sourceOf(drawing: Drawing): Source {
  const found = drawShapes({ drawing }).model.renderers?.[0]?.data_source;
  if (!found) throw new Error("no source");
  return found;
}

/** The item of a drawing at a point. */
function pointed(drawing: Drawing, x: number, y: number): number {
  return itemAt(drawing.items as Items, sourceOf(drawing), x, y);
}

describe("points", () => {
  it("are hit by their discs, the smallest first, and outlined", () => {
    const look = {
      roofs: [{ label: "bf16", color: "red", peak: 1000, slope: 2 }],
      series: [{ label: "bf16", color: "red" }],
      axes: ["FLOP/byte", "TFLOP/s"] as [string, string],
      choice: "auto" as const,
      width: 680,
    };
    const point = { name: "gemm", x: 500, y: 500, size: 400, part: 0, muted: false };
    const drawing = drawPoints([point, { ...point, name: "small", size: 1 }], look);
    const { x, down } = drawing.sources.bars as { x: number[]; down: number[] };
    const [left, top] = [x[0] ?? 0, down[0] ?? 0];
    expect(drawing.sources.bars?.name).toEqual(["gemm", "small"]);
    expect(pointed(drawing, left, top)).toBe(1);
    expect(pointed(drawing, left + 12, top)).toBe(0);
    expect(pointed(drawing, left + 30, top)).toBe(-1);
    const source = sourceOf(drawing);
    expect(outline(drawing.items as Items, source, [0, 1]).match(/M/g)).toHaveLength(2);
    expect(drawing.shapes.find(({ tip }) => tip)?.tip).toContain("Of its roof\t50.0 %");
  });
});

describe("layout", () => {
  it("keeps labels apart", () => {
    expect(spread([0, 1, 50], 10, -100, 100)).toEqual([-4.5, 5.5, 50]);
    expect(spread([0, 0, 0], 50, 0, 60)).toEqual([0, 30, 60]);
  });

  it("chooses round ticks", () => {
    expect(roundTicks(39)).toEqual([0, 10, 20, 30, 40]);
    expect(roundTicks(0)[0]).toBe(0);
    expect(roundTicks(1000000.00030454)).toEqual([0, 250000, 500000, 750000, 1000000]);
    expect(ticksBetween(3, 22, 5)).toEqual([5, 10, 15, 20]);
    expect(labelEvery(100, 5, 20)).toBe(5);
  });

  it("draws every diagonal inside its rectangle", () => {
    const numbers =
      hatching(3, 5, 20, 12)
        .match(/[\d.]+/g)
        ?.map(Number) ?? [];
    expect(numbers.length).toBeGreaterThan(8);
    for (let at = 0; at < numbers.length; at += 2) {
      expect(numbers[at]).toBeGreaterThanOrEqual(3);
      expect(numbers[at]).toBeLessThanOrEqual(23);
      expect(numbers[at + 1]).toBeGreaterThanOrEqual(5);
      expect(numbers[at + 1]).toBeLessThanOrEqual(17);
    }
  });

  it("reduces a step function and loses no peak", () => {
    const found = reduceSteps(
      [0, 10, 11, 12, 90],
      [1, 5, 9, 2, 3],
      { start_us: 0, end_us: 100 },
      10,
    );
    expect(found.time).toEqual([0, 10, 90]);
    expect(found.last).toEqual([1, 2, 3]);
    expect(found.high).toEqual([1, 9, 3]);
    expect(reduceSteps([50], [7], { start_us: 0, end_us: 100 }, 4).time).toEqual([50]);
  });
});

describe("names", () => {
  it("have the slots and short forms that Python gives them", () => {
    expect([fnv1a("aten::mm"), fnv1a("Größe")]).toEqual([3613771437, 1219707514]);
    expect(stem("aten::add_")).toBe("add");
    expect(stem("ConvolutionBackward0")).toBe("convolution");
    expect(shortName("void at::native::f<int>(int*, long)")).toBe("f<int>");
    const slot = colorSlots(["a", "b", "c"]);
    expect(["a", "b", "c", "aten::mm"].map(slot)).toEqual([0, 7, 8, 7]);
  });
});

describe("donuts", () => {
  const look = { width: 476, unit: "auto" as const, top: 2, others: NO_OTHERS };

  it("join what is beyond the largest, and what is not there", () => {
    const drawing = donut(["a", "b", "c", "d"], [5, 4, 2, 1], "Time", () => 0, look);
    expect(drawing.sources.slices?.label).toEqual(["a", "b", "2 others"]);
    const more = donut(["a"], [5], "Time", () => 0, { ...look, others: { count: 9, value: 5 } });
    expect(more.sources.slices?.pct).toEqual([50, 50]);
    expect(more.sources.slices?.label).toEqual(["a", "9 others"]);
  });

  it("write names as text, and tell which is at a point", () => {
    const evil = "<img src=x onerror=alert(1)>";
    const drawing = donut([evil, "b"], [5, 4], "Time", () => 0, look);
    expect(drawShapes({ drawing }).el.querySelector("img")).toBeNull();
    const { x, y, inner, outer } = drawing.items as Items;
    const middle = (inner + outer) / 2;
    expect(pointed(drawing, x + middle, y)).toBe(0); // more than half, from twelve clockwise
    expect(pointed(drawing, x - middle, y)).toBe(1);
    expect(pointed(drawing, x, y)).toBe(-1);
    expect(pointed(drawing, x + outer + 1, y)).toBe(-1);
  });

  it("keep all names under a filter, those outside of it muted, and say of what", () => {
    const names = ["a", "b", "c", "d"];
    const kept = { ...look, top: 2, isKept: (name: string) => name === "c" };
    const drawing = donut(names, [4e3, 3e3, 2e3, 1e3], "Time", () => 0, kept);
    const { name, muted, pct } = drawing.sources.slices ?? {};
    expect(name).toEqual(["a", "b", "c", ""]);
    expect(muted).toEqual([1, 1, 0, 1]);
    expect(pct).toEqual([40, 30, 20, 10]);
    const texts = drawing.shapes.map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(["2.0", "of 10.0 ms"]));
    expect(texts).toContain("Time (20.0 % in the filter)");
    const opacity = drawing.shapes.flatMap(({ look }) => look?.["fill-opacity"] ?? []);
    expect(opacity).toEqual(["0.3", "0.3", "0.3"]);
  });

  it("draw one slice as a whole ring, and none as an empty one", () => {
    const one = donut(["a"], [5], "Time", () => 0, look);
    expect(one.shapes.filter(({ tag }) => tag === "path")[0]?.at.d).toMatch(/A.*A.*A.*A/);
    expect(donut([], [], "Time", () => 0, look).shapes[0]?.tag).toBe("circle");
  });
});

describe("bars of times that overlap", () => {
  const whole = { value: 8, text: "% of all" };
  const look = { width: 476, unit: "auto" as const, top: 2 };
  const names = ["a", "b", "c", "a"];
  const draw = (top: number | null) =>
    nestedBars(names, [5, 4, null, 11], () => 3, "Total time", whole, { ...look, top });

  it("are the longest, each with its share of the whole, and no remainder", () => {
    const { sources, shapes } = draw(1);
    const row = { name: ["a"], label: ["a"], value: [16], pct: [200], muted: [0] };
    expect(sources.slices).toEqual(row);
    const texts = shapes.map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(["Total time: 1 of 2 names", "% of all"]));
    expect(texts).toContain("200.0 %");
    expect(draw(null).sources.slices?.value).toEqual([16, 4]);
    expect(draw(null).shapes.map(({ text }) => text)).toContain("Total time");
  });

  it("are as long as their times, in the colours of their names", () => {
    const bars = draw(2).shapes.filter(({ look }) => look?.fill === "var(--o-3)");
    const [long, short] = bars.map(({ at }) => Number(/h([\d.]+)/.exec(String(at.d))?.[1]) + 1);
    expect((long ?? 0) / (short ?? 1)).toBeCloseTo(4, 1);
  });

  it("say time and share, and can be pointed at over their row", () => {
    const drawing = draw(2);
    const rows = drawShapes({ drawing }).el.querySelectorAll("rect[data-tip]");
    expect(rows[1]?.getAttribute("data-tip")).toBe("b\nTime 4.0 µs\nShare 50.0 %");
    const { y, inner } = drawing.items as Items;
    expect(pointed(drawing, 5, y + 1.5 * inner)).toBe(1);
    expect(pointed(drawing, 5, y + 2.5 * inner)).toBe(-1);
  });

  it("say that there are none", () => {
    const none = nestedBars([], [], () => 0, "Total time", whole, look);
    expect(none.shapes.map(({ text }) => text)).toContain("Nothing to show");
  });
});

describe("step bars", () => {
  it("stack categories, write totals and the mean of the complete steps", () => {
    const texts = drawSteps(STEPS, { width: 700, unit: "auto" }).shapes.map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(["4", "5", "6", "1.0", "3.0", "mean 1.5"]));
    expect(texts).toEqual(expect.arrayContaining(["Kernel", "Other", "ms", "Step"]));
  });

  it("say what a step is made of, from top to bottom", () => {
    const tips = drawSteps(STEPS, { width: 700, unit: "ms" }).shapes.flatMap(
      ({ tip }) => tip ?? [],
    );
    expect(tips).toHaveLength(3);
    expect(tips[2]).toBe("Step 6\nTotal 3.0 ms\nOther 1.2 ms\nKernel 1.8 ms\nRecorded in part");
  });

  it("can be pointed at over their height", () => {
    const drawing = drawSteps(STEPS, { width: 700, unit: "auto" });
    const { x, y, inner } = drawing.items as Items;
    expect(pointed(drawing, x + 1.5 * inner, y + 9)).toBe(1);
    expect(pointed(drawing, x + 3.5 * inner, y + 9)).toBe(-1);
    const source = sourceOf(drawing);
    expect(outline(drawing.items as Items, source, [1, 2])).toContain(`h${2 * inner}`);
  });

  it("keep all steps under a filter, with the mean of those in it", () => {
    const look = { width: 700, unit: "auto" } as const;
    const drawing = drawSteps(STEPS, look, (step) => step !== 5);
    expect(drawing.sources.steps?.muted).toEqual([1, 0, 1]);
    const veil = drawing.shapes.find(({ look }) => look?.["fill-opacity"] === "0.7");
    expect(String(veil?.at.d).match(/M/g)).toHaveLength(2);
    expect(drawing.shapes.map(({ text }) => text)).toContain("mean 2.0");
  });

  it("are one bar that lies where there is one step, its parts named with their shares", () => {
    const only = rows({
      step: [7],
      total_us: [1e3],
      kernel_us: [900],
      cpu_exec_us: [95],
      other_us: [5],
    });
    const draw = (mean: boolean) => drawSteps(only, { width: 632, unit: "auto", mean });
    const drawing = draw(true);
    expect(drawing.height).toBeLessThan(100);
    const texts = drawing.shapes.map(({ text }) => text);
    for (const text of ["Step 7", "1.0 ms", "90.0 %", "Kernel", "9.5 %", "0.5 %", "Other"])
      expect(texts).toContain(text);
    const { y, inner } = drawing.items as Items;
    expect(pointed(drawing, 5, y + inner / 2)).toBe(0);
    expect(draw(false).shapes.map(({ text }) => text)).toContain("Whole recording");
  });

  it("are crossed by a line of the mean that stops at a total", () => {
    // The total of the lower step stands just where the mean is.
    const two = rows({ step: [1, 2], total_us: [1e4, 1.08e4], kernel_us: [1e4, 1.08e4] });
    const drawing = drawSteps(two, { width: 700, unit: "auto" });
    const lines = drawing.shapes.filter(({ look }) => look?.["stroke-dasharray"]);
    const ends = lines.map(
      ({ at }) =>
        String(at.d)
          .match(/[\d.]+/g)
          ?.map(Number) ?? [],
    );
    const x = Number(drawing.shapes.filter(({ text }) => text === "10.0").at(-1)?.at.x);
    expect(lines.length).toBeGreaterThan(1);
    expect(ends.some(([left = 0, , right = 0]) => left < x && x < right)).toBe(false);
  });

  it("draw the slowest of every pixel where there are more", () => {
    const many = Array.from({ length: 3000 }, (_, step) => step);
    const drawing = drawSteps(
      rows({ step: many, total_us: many.map((n) => n + 1), kernel_us: many.map((n) => n + 1) }),
      { width: 700, unit: "auto" },
    );
    expect(drawing.shapes.length).toBeLessThan(80);
    const texts = drawing.shapes.map(({ text }) => text ?? "");
    expect(texts.some((text) => text.includes("the slowest of every"))).toBe(true);
  });
});
