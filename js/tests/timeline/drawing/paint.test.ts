import { describe, expect, test } from "vitest";
import type { Track } from "../../../src/views/timeline/data/messages";
import { paintLanes } from "../../../src/views/timeline/drawing/paint";
import type { Area, Placed, Scene, TrackItems } from "../../../src/views/timeline/state/types";
import { type Call, canvas, type Entry, levelOf, PALETTE, place, sceneOf } from "./fake";

// Lanes start at 22, rows three pixels below that.
const TOP = 25;

function paint(options: Partial<Scene>, ratio = 1) {
  const { ctx, calls, styles } = canvas(ratio);
  paintLanes(ctx, sceneOf(options));
  const of = (name: string) => calls.filter((call) => call.name === name);
  return { calls, styles, of };
}

const slot = (at: number) => PALETTE.slots[at] as string;
const boxes = (calls: Call[], color: string) =>
  calls
    .filter((call) => call.name === "fillRect" && call.fillStyle === color)
    .map(({ args }) => args);

describe("slices", () => {
  test("stand at their pixels, leave one for the next, and are never thinner than one", () => {
    const row: Entry[] = [
      { start: 10, width: 90, name: 0 },
      { start: 100, width: 2, name: 0 },
      { start: 200.2, width: 0.1, name: 0 },
    ];
    const { calls } = paint({ levels: [levelOf([row, [], []])] });
    expect(boxes(calls, slot(0)).sort((a, b) => Number(a[0]) - Number(b[0]))).toEqual([
      [10, TOP, 89, 15],
      [100, TOP, 2, 15],
      [200, TOP, 1, 15],
    ]);
  });

  test("edges lie on device pixels", () => {
    const row = [{ start: 10.3, width: 20.4, name: 0 }];
    for (const ratio of [1, 1.25, 2, 3]) {
      const [box] = boxes(paint({ levels: [levelOf([row])] }, ratio).calls, slot(0));
      for (const at of [0, 2]) {
        const pixels = Number(box?.[at]) * ratio;
        expect(Math.abs(pixels - Math.round(pixels))).toBeLessThan(1e-9);
      }
    }
  });

  test("no two of a row are drawn over each other, however many there are", () => {
    const row: Entry[] = [];
    for (let at = 0; at < 5000; at += 1) row.push({ start: at / 5, width: 0.19, name: at % 4 });
    const { of } = paint({ levels: [levelOf([row])], placed: place(1) });
    const drawn = of("fillRect").filter(({ args }) => args[3] === 15);
    const pixels = drawn.flatMap(({ args: [x, , width] }) =>
      Array.from({ length: Number(width) }, (_, at) => Number(x) + at),
    );
    expect(new Set(pixels).size).toBe(pixels.length);
    expect(new Set(pixels.filter((x) => x < 1000)).size).toBe(1000);
  });

  test("every colour is set once for all rows", () => {
    const row: Entry[] = [];
    for (let at = 0; at < 300; at += 1) row.push({ start: at * 3, width: 2, name: at % 4 });
    const { styles } = paint({ levels: [levelOf([row, row, row])] });
    for (const at of [0, 1, 2, 3]) {
      expect(styles.filter((style) => style === slot(at))).toHaveLength(1);
    }
  });

  test("operators have the colour of their name, kernels its lightness, others their category", () => {
    const row: Entry[] = [
      { start: 0, width: 9, name: 1, category: "operator" },
      { start: 10, width: 9, name: 2, category: "module" },
      { start: 20, width: 9, name: 3, category: "kernel" },
      { start: 30, width: 9, name: 1, category: "runtime" },
      { start: 40, width: 9, category: "operator", busy: 9 },
    ];
    const { calls } = paint({ levels: [levelOf([row])] });
    const colors = [
      slot(1),
      slot(2),
      PALETTE.kernels[3],
      PALETTE.categories[1],
      PALETTE.categories[0],
    ];
    colors.forEach((color, at) => {
      expect(boxes(calls, color as string).map(([x]) => x)).toEqual([at * 10]);
    });
  });

  test("blocks are the weaker the less of them is busy", () => {
    const row = [9, 5, 2, 0.1].map((busy, at) => ({ start: at * 20, width: 10, busy }));
    const { of } = paint({ levels: [levelOf([row])] });
    const drawn = of("fillRect").filter(({ args }) => args[3] === 15);
    const red = drawn
      .sort((a, b) => Number(a.args[0]) - Number(b.args[0]))
      .map(({ fillStyle }) => Number.parseInt(fillStyle.slice(1, 3), 16));
    expect(red[0]).toBe(0);
    expect(red).toEqual([...red].sort((a, b) => a - b));
    expect(new Set(red).size).toBe(4);
  });

  test("what the filter leaves out is dimmed, by name and by category", () => {
    const row: Entry[] = [
      { start: 0, width: 50, name: 0 },
      { start: 50, width: 50, name: 1 },
      { start: 100, width: 50, name: 1, category: "runtime" },
      { start: 150, width: 9, busy: 9, category: "runtime" },
    ];
    const level = levelOf([row], { dimmed: [0] });
    const { calls, of } = paint({ levels: [level], dimmedCategories: new Set([1]) });
    expect(boxes(calls, slot(1)).map(([x]) => x)).toEqual([50]);
    expect(boxes(calls, slot(0))).toEqual([]);
    expect(boxes(calls, PALETTE.categories[1] as string)).toEqual([]);
    const inks = new Map(of("fillText").map(({ args, fillStyle }) => [args[1], fillStyle]));
    expect(inks.get(3)).toBe(PALETTE.muted);
    expect(inks.get(53)).toBe(PALETTE.slotInk);
  });

  test("rows and lanes out of sight are not drawn, nor more rows than the lane shows", () => {
    const level = levelOf([[{ start: 0, width: 9, name: 0 }], [{ start: 0, width: 9, name: 1 }]]);
    const placed = place(1);
    const { calls } = paint({ levels: [level], placed });
    expect([boxes(calls, slot(0)).length, boxes(calls, slot(1)).length]).toEqual([1, 0]);
    const scrolled = placed.map((each): Placed => ({ ...each, y: each.y + 400 }));
    expect(boxes(paint({ levels: [level], placed: scrolled }).calls, slot(0))).toEqual([]);
  });
});

describe("labels", () => {
  test("start inside of the slice and of the canvas, in the middle of its height", () => {
    const level = levelOf([
      [{ start: -500, width: 600, name: 0 }],
      [{ start: 40, width: 40, name: 0 }],
    ]);
    const texts = paint({ levels: [level], placed: place(2) }).of("fillText");
    expect(texts.map(({ args }) => args)).toEqual([
      ["conv2d", 3, TOP + 8],
      ["conv…", 43, TOP + 17 + 8],
    ]);
  });

  test("blocks have none", () => {
    const level = levelOf([[{ start: 0, width: 600 }]]);
    expect(paint({ levels: [level] }).of("fillText")).toEqual([]);
  });
});

describe("matches", () => {
  const row = [
    { start: 10, width: 30, name: 0 },
    { start: 50, width: 1, name: 0 },
    { start: 60, width: 30, name: 1 },
  ];
  const levels = [levelOf([row], { matches: [0] })];

  test("have two pixels of accent over them, while something is searched for", () => {
    expect(boxes(paint({ levels, searching: true }).calls, PALETTE.accent)).toEqual([
      [10, TOP - 2, 29, 2],
      [50, TOP - 2, 2, 2],
    ]);
    expect(boxes(paint({ levels }).calls, PALETTE.accent)).toEqual([]);
  });
});

describe("around the slices", () => {
  const slice = { slice: 0, row: 0, start_ns: 10, end_ns: 60 };
  const levels = [levelOf([[{ start: 10, width: 50, name: 0 }]])];

  test("the bands of groups stay clear", () => {
    const { calls } = paint({
      steps: [{ step: 1, start_ns: 500, end_ns: 900, device: null }],
      area: { start_ns: 0, end_ns: 900, lanes: [] },
      filtered: () => ({ start_ns: 100, end_ns: 200 }),
    });
    for (const { name, args } of calls) {
      if (name === "fillRect") expect(args[1]).toBeGreaterThanOrEqual(22);
    }
  });

  test("lanes have the steps of their side, and a device has its own over its lanes", () => {
    const ofDevice = place(1).map((each): Placed => {
      if (each.type === "group") return { ...each, group: { ...each.group, key: "device:0" } };
      if (each.type === "lane") return { ...each, lane: { ...each.lane, group: "device:0" } };
      return each;
    });
    const device = { start_ns: 600, end_ns: 950 };
    const steps = [{ step: 1, start_ns: 500, end_ns: 900, device }];
    const lines = (placed: Placed[]) =>
      boxes(paint({ steps, placed }).calls, PALETTE.line).map(([x, y]) => [x, y]);
    expect(lines(place(1))).toEqual([[500, 22]]);
    expect(lines(ofDevice)).toEqual([
      [600, 22],
      [600, 0],
    ]);
    const names = paint({ steps, placed: ofDevice }).of("fillText");
    expect(names.map(({ args }) => args)).toEqual([["Step 1", 606, 10]]);
    expect(paint({ steps, placed: place(1) }).of("fillText")).toEqual([]);
    const idle = [{ step: 1, start_ns: 500, end_ns: 900, device: null }];
    expect(paint({ steps: idle, placed: ofDevice }).of("fillText")).toEqual([]);
  });

  test("the area tints its lanes, of all lanes also the curves", () => {
    const tinted = (area: Area) =>
      boxes(paint({ area }).calls, PALETTE.accentSoft).map(([x, y, width]) => [x, y, width]);
    expect(tinted({ start_ns: -50, end_ns: 300, lanes: [] })).toEqual([
      [0, 22, 300],
      [0, 60, 300],
    ]);
    expect(tinted({ start_ns: 100, end_ns: 300, lanes: ["lane 2"] })).toEqual([[100, 60, 200]]);
  });

  test("what the filter leaves out is veiled", () => {
    const veils = boxes(
      paint({ filtered: () => ({ start_ns: 100, end_ns: 800 }) }).calls,
      PALETTE.bg,
    );
    expect(veils.map(([x, , width]) => [x, width]).slice(0, 2)).toEqual([
      [0, 100],
      [800, 200],
    ]);
    expect(
      boxes(paint({ filtered: () => ({ start_ns: 0, end_ns: 1000 }) }).calls, PALETTE.bg),
    ).toEqual([]);
  });

  test("the hovered slice has one pixel of outline, the selected two, on a ring of background", () => {
    const other = { ...slice, slice: 7, start_ns: 200, end_ns: 260 };
    const outlines = paint({ levels, hovered: other, selected: slice }).of("strokeRect");
    expect(outlines.map(({ lineWidth, strokeStyle }) => [lineWidth, strokeStyle])).toEqual([
      [1, PALETTE.fg],
      [3, PALETTE.bg],
      [2, PALETTE.fg],
    ]);
    expect(outlines[2]?.args).toEqual([10, TOP, 49, 15]);
    expect(paint({ levels, hovered: slice, selected: slice }).of("strokeRect")).toHaveLength(2);
    expect(paint({ levels, selected: { ...slice, row: 9 } }).of("strokeRect")).toHaveLength(0);
  });

  test("a selection made from a block is outlined as its slice, once that is known", () => {
    const selected = { ...slice, end_ns: 400 };
    expect(paint({ levels, selected }).of("strokeRect")[1]?.args).toEqual([10, TOP, 49, 15]);
    const block = [levelOf([[{ start: 10, width: 390 }]])];
    expect(paint({ levels: block, selected }).of("strokeRect")[1]?.args).toEqual([
      10,
      TOP,
      389,
      15,
    ]);
  });

  test("an arrow goes from the bottom of one row to the top of the other", () => {
    const arrow = { kind: "launch", from_row: 0, from_ns: 50, to_row: 2, to_ns: 90 } as const;
    const [curve] = paint({ arrows: [arrow] }).of("bezierCurveTo");
    const [dot] = paint({ arrows: [arrow] }).of("arc");
    expect(dot?.args.slice(0, 2)).toEqual([50, TOP + 16]);
    expect(curve?.args[4]).toBe(90);
    expect(Number(curve?.args[5])).toBeLessThan(62);
    expect(Number(curve?.args[5])).toBeGreaterThan(50);
    const hidden = { ...arrow, to_row: 40 };
    expect(paint({ arrows: [hidden] }).of("bezierCurveTo")).toEqual([]);
    const outside = { ...arrow, from_ns: 2000, to_ns: 3000 };
    expect(paint({ arrows: [outside] }).of("bezierCurveTo")).toEqual([]);
  });

  test("a measured length stands between its lines", () => {
    const { of, calls } = paint({ measure: { from_ns: 600, to_ns: 200 } });
    expect(of("fillText").map(({ args }) => args.slice(0, 2))).toEqual([["400 ns", 400]]);
    const lines = boxes(calls, PALETTE.fg).filter(([, , , height]) => height === 400);
    expect(lines.map(([x]) => x)).toEqual([200, 600]);
  });

  test("an empty window draws nothing", () => {
    expect(paint({ view: { start_ns: 5, end_ns: 5 } }).of("fillRect")).toEqual([]);
  });
});

describe("curves", () => {
  const track = { key: "t", group: "g", label: "", detail: "", unit: "%", low: 0, high: 100 };
  const placed: Placed[] = [
    { type: "track", track: { ...track, device: 0, stream: null } as Track, y: 0, height: 36 },
  ];
  const items = (...steps: [number, number][]): TrackItems => {
    const values = Float64Array.from(steps, ([, value]) => value);
    const time = Float64Array.from(steps, ([start]) => start);
    return { key: "t", time, first: values, last: values, low: values, high: values };
  };
  const lines = (options: Partial<Scene>) =>
    paint({ placed, ...options })
      .calls.filter(({ name }) => name === "moveTo" || name === "lineTo")
      .map(({ args }) => args);

  test("hold a value until the next, from the value in force at the left edge to the right edge", () => {
    const tracks = new Map([["t", items([-100, 0], [300, 100])]]);
    const level = levelOf([], { start_ns: -200, tracks });
    expect(lines({ levels: [level] }).slice(0, 4)).toEqual([
      [0, 34],
      [300, 34],
      [300, 4],
      [1000, 4],
    ]);
  });

  test("show the lowest and the highest value of a column", () => {
    const some = items([0, 50], [300, 50]);
    const tracks = new Map([
      ["t", { ...some, low: Float64Array.of(50, 0), high: Float64Array.of(50, 100) }],
    ]);
    const ys = lines({ levels: [levelOf([], { tracks })] })
      .filter(([x]) => x === 300)
      .map(([, y]) => y);
    expect(ys).toEqual([19, 19, 34, 4, 19]);
  });

  test("a later level goes on where the earlier one stops", () => {
    const before = levelOf([], { tracks: new Map([["t", items([0, 0])]]) });
    const after = levelOf([], {
      start_ns: 400,
      end_ns: 600,
      tracks: new Map([["t", items([400, 100])]]),
    });
    const starts = paint({ placed, levels: [before, after] })
      .of("moveTo")
      .map(({ args }) => args);
    expect(starts).toEqual([
      [0, 34],
      [400, 4],
      [600, 34],
    ]);
  });

  test("shares are filled, memory is a line", () => {
    const tracks = new Map([["t", items([0, 50])]]);
    const levels = [levelOf([], { tracks })];
    const filled = paint({ placed, levels }).of("fill");
    expect(filled.map(({ globalAlpha }) => globalAlpha)).toEqual([0.35]);
    const bytes = placed.map((each) => ({ ...each, track: { ...track, unit: "bytes" } }) as Placed);
    expect(paint({ placed: bytes, levels }).of("fill")).toEqual([]);
    expect(paint({ placed: bytes, levels }).of("stroke")).toHaveLength(1);
  });
});
