import { afterEach, describe, expect, test } from "vitest";
import { CATEGORIES } from "../../../src/canvas/categories";
import { contrast, inkOn, mixHex, type Rgb, readColor } from "../../../src/canvas/color";
import { readPalette } from "../../../src/canvas/palette";
import type { Layout } from "../../../src/views/timeline/data/messages";
import { paintRuler, type RulerScene } from "../../../src/views/timeline/drawing/ruler";
import { bandsOf, paintMinimap } from "../../../src/views/timeline/stage/minimap";
import type { Minimap } from "../../../src/views/timeline/state/types";
import { CHARACTER, canvas, PALETTE } from "./fake";

const MS = 1e6;

describe("the ruler", () => {
  function ruler(options: Partial<RulerScene>) {
    const { ctx, calls } = canvas();
    paintRuler(ctx, {
      width: 790,
      height: 40,
      view: { start_ns: 425.6 * MS, end_ns: 431.6 * MS },
      steps: [],
      area: null,
      palette: PALETTE,
      unit: "auto",
      ...options,
    });
    return calls.filter(({ name }) => name === "fillText").map(({ args }) => args);
  }
  const step = { step: 7, start_ns: 300 * MS, end_ns: 500 * MS, device: null };

  test("names steps, the length of the area, and the ticks", () => {
    const area = { start_ns: 426.245 * MS, end_ns: 430.166 * MS, lanes: [] };
    const texts = ruler({ steps: [step], area }).map(([text]) => text);
    expect(texts).toEqual([
      "426",
      "427",
      "428",
      "429",
      "430",
      "431",
      "3.921 ms selected",
      "Step 7",
    ]);
  });

  test("a step that has no room is a number, or nothing", () => {
    const short = (ms: number) =>
      ruler({ steps: [{ ...step, start_ns: 427 * MS, end_ns: (427 + ms) * MS }] })
        .map(([text]) => text)
        .slice(6);
    expect(short(1)).toEqual(["Step 7"]);
    expect(short(0.2)).toEqual(["7"]);
    expect(short(0.05)).toEqual([]);
  });

  test("no two texts of a line overlap, at any zoom", () => {
    const steps = Array.from({ length: 50 }, (_, at) => ({
      step: at,
      start_ns: at * 20 * MS,
      end_ns: (at + 1) * 20 * MS,
      device: null,
    }));
    for (let span = 1; span < 1e10; span *= 1.7) {
      for (const start of [0, 431_169_123]) {
        const view = { start_ns: start, end_ns: start + span };
        const area = { start_ns: start + span * 0.3, end_ns: start + span * 0.31, lanes: [] };
        const lines = new Map<number, [number, number][]>();
        for (const [text, x, y] of ruler({ view, steps, area })) {
          const width = String(text).length * CHARACTER;
          const left =
            /^(Step )?\d+$/.test(String(text)) && y === 10 ? Number(x) : Number(x) - width / 2;
          expect(left).toBeGreaterThanOrEqual(0);
          expect(left + width).toBeLessThanOrEqual(790);
          lines.set(Number(y), [...(lines.get(Number(y)) ?? []), [left, left + width]]);
        }
        for (const spans of lines.values()) {
          spans.sort((a, b) => a[0] - b[0]);
          spans.slice(1).forEach(([left], at) => {
            expect(left).toBeGreaterThanOrEqual((spans[at] as [number, number])[1]);
          });
        }
      }
    }
  });
});

describe("the minimap", () => {
  const minimap: Minimap = {
    columns: 100,
    bands: [
      { group: "process:1", label: "python" },
      { group: "device:0", label: "GPU 0" },
    ],
    band: Int32Array.of(0, 0, 0, 1, 1, 1),
    column: Int32Array.of(0, 1, 50, 10, 11, 12),
    category: Uint8Array.of(0, 0, 0, 7, 7, 8),
    share: Float32Array.of(1, 1, 0.5, 0.5, 0.5, 1),
  };
  const layout = {
    start_ns: 0,
    end_ns: 1000,
    steps: [{ step: 5, start_ns: 300, end_ns: 600, device: null }],
  } as unknown as Layout;
  function draw(view = { start_ns: 400, end_ns: 500 }, matches: number[] = []) {
    const { ctx, calls } = canvas();
    paintMinimap(ctx, { width: 200, height: 44, minimap, layout, view, matches, palette: PALETTE });
    const boxes = (color: string) =>
      calls
        .filter(({ name, fillStyle }) => name === "fillRect" && fillStyle === color)
        .map(({ args }) => args);
    return { calls, boxes };
  }

  test("columns that look the same are one rectangle; hosts show strength, devices height", () => {
    const { boxes } = draw();
    const [host, device] = bandsOf({ minimap, height: 44 });
    expect(boxes(PALETTE.categories[0] as string)).toEqual([[0, host?.y, 4, host?.height]]);
    expect(boxes(mixHex(PALETTE.categories[0] as string, PALETTE.bg, 0.675))).toHaveLength(1);
    const [run] = boxes(PALETTE.categories[7] as string);
    expect([run?.[0], run?.[2], run?.[3]]).toEqual([20, 4, (device?.height ?? 0) / 2]);
    expect(boxes(PALETTE.categories[8] as string)[0]?.[3]).toBe(device?.height);
  });

  test("bands lie below each other inside of the strip, one to four of them", () => {
    for (let count = 1; count <= 4; count += 1) {
      for (let hosts = 0; hosts <= count; hosts += 1) {
        const bands = Array.from({ length: count }, (_, at) => ({
          group: at < hosts ? `process:${at}` : `device:${at}`,
          label: "",
        }));
        const places = bandsOf({ minimap: { ...minimap, bands }, height: 44 });
        places.forEach(({ y, height }, at) => {
          expect(height).toBeGreaterThanOrEqual(1);
          expect(y + height).toBeLessThanOrEqual(places[at + 1]?.y ?? 43);
        });
      }
    }
  });

  test("the window is a frame of nine pixels at least, always inside", () => {
    const frame = (start_ns: number, end_ns: number) =>
      draw({ start_ns, end_ns }).calls.find(({ name }) => name === "strokeRect")?.args;
    expect(frame(400, 500)).toEqual([80, 1, 18, 42]);
    for (const at of [0, 1, 250, 999, 1000]) {
      const [x, , width] = frame(at, at + 0.001) as number[];
      expect(width).toBe(7);
      expect(x).toBeGreaterThanOrEqual(1);
      expect(Number(x) + Number(width)).toBeLessThanOrEqual(199);
    }
    expect(frame(0, 1000)).toEqual([1, 1, 198, 42]);
  });

  test("matches have ticks that can be told apart", () => {
    expect(
      draw(undefined, [3, 4, 90])
        .boxes(PALETTE.accent)
        .map(([x]) => x),
    ).toEqual([6, 8, 180]);
  });
});

const white: Rgb = [255, 255, 255];

describe("colours", () => {
  test("are read as browsers compute them, laid over the background", () => {
    expect(readColor("rgb(23, 143, 110)", white)).toEqual([23, 143, 110]);
    expect(readColor("rgba(0, 0, 0, 0.5)", white)).toEqual([127.5, 127.5, 127.5]);
    expect(readColor("rgb(0 0 0 / 50%)", white)).toEqual([127.5, 127.5, 127.5]);
    expect(readColor("color(srgb 0 0.5 1)", white)).toEqual([0, 127.5, 255]);
    expect(readColor("color(srgb 0 none 1 / 0.5)", white)).toEqual([127.5, 127.5, 255]);
    expect(readColor("#178f6e", white)).toEqual([23, 143, 110]);
    for (const text of ["", "oklab(1 0 0)", "color(display-p3 1 0 0)", "inherit", "rgb()"]) {
      expect(readColor(text, white)).toBeNull();
    }
  });

  test("inks are those that read better", () => {
    const fills: [string, string][] = [
      ["#178f6e", "#111111"],
      ["#414626", "#ffffff"],
      ["#2656a6", "#ffffff"],
      ["#4576c6", "#ffffff"],
      ["#ad7bef", "#111111"],
      ["#616161", "#ffffff"],
    ];
    for (const [fill, ink] of fills) {
      const color = readColor(fill, white) as Rgb;
      expect(inkOn(color)).toBe(ink);
      expect(contrast(readColor(ink, white) as Rgb, color)).toBeGreaterThan(4.5);
    }
  });
});

// Named by a variable, because the types of Node are not at hand; style sheets are empty in tests.
const files = "node:fs/promises";
const { readFile } = await import(files);
const tokens: string = await readFile("src/styles/tokens.css", "utf8");

describe("the tokens", () => {
  const [light, dark] = tokens.split('.nbp[data-theme="dark"]') as [string, string];
  const themes: [string, string, Rgb][] = [
    ["light", light, white],
    ["dark", dark, [17, 17, 17]],
  ];
  test.each(themes)("%s fills stand out, and so do labels on them", (_, text, background) => {
    const found = [...text.matchAll(/--(k-\d|o-\d|c-(?!rest|curve)[a-z-]+): (#[\da-f]{6})/g)];
    expect(found).toHaveLength(4 + 10 + 8);
    for (const [, , value] of found) {
      const color = readColor(value as string, white) as Rgb;
      expect(contrast(color, background)).toBeGreaterThan(3);
      expect(contrast(readColor(inkOn(color), white) as Rgb, color)).toBeGreaterThan(4.5);
    }
    // Names share one ink, whatever their slot; so do the steps of kernels.
    const inks = (kind: string) =>
      new Set(
        found
          .filter(([, name]) => name?.startsWith(kind))
          .map(([, , value]) => inkOn(readColor(value as string, white) as Rgb)),
      );
    expect([...inks("o-"), ...inks("k-")]).toEqual(["#111111", "#111111"]);
  });
});

describe("the palette", () => {
  afterEach(() => document.body.replaceChildren());

  test("is read once, and again when the host's colours change", () => {
    const root = document.body.appendChild(document.createElement("div"));
    root.style.setProperty("--nbp-bg", "#ffffff");
    root.style.setProperty("--nbp-fg", "#212121");
    const before = readPalette(root, "light");
    expect(readPalette(root, "light")).toBe(before);
    expect(root.children).toHaveLength(0);
    expect(before.categories).toHaveLength(CATEGORIES.length);
    root.style.setProperty("--nbp-bg", "#fdf6e3");
    const after = readPalette(root, "light");
    expect(after).not.toBe(before);
    expect(readPalette(root, "dark")).not.toBe(after);
    for (const color of [...after.categories, ...after.slots, ...after.kernels, after.bg]) {
      expect(color).toMatch(/^#[\da-f]{6}$/);
    }
  });
});
