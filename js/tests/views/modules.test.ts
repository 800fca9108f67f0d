/** The modules view: the tree's lines, the flame graph's frames, what Python is asked; stacks. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CATEGORIES } from "../../src/canvas/categories";
import type { Palette } from "../../src/canvas/palette";
import type { Page } from "../../src/core/protocol/protocol";
import { paintFlame, ROW, rowTop } from "../../src/flames/flamepainter";
import { frameText } from "../../src/flames/framelabels";
import { type FlameInfo, type Frame, Frames } from "../../src/flames/frames";
import { PageStore, type Query } from "../../src/table/pagestore";
import { TreeLines } from "../../src/trees/treelines";
import { readRows } from "../../src/values/arrow";
import { resized } from "../fakewidth";
import { type Answers, arrow, asked, type FakePython, show } from "../fixtures";

const { default: widget } = await import("../../src/index");

const MODULE = CATEGORIES.indexOf("module");
const OPERATOR = CATEGORIES.indexOf("operator");

const INFO: FlameInfo = {
  by: "host",
  order: "left_heavy",
  total: 1000,
  found: 0,
  range: [0, 1000],
  depths: 2,
  rows: [0, 48],
  names: ["Net_0", "aten::conv2d"],
  slots: [3, 4],
  shades: [0, 0],
};

/** Net_0 over everything; conv2d, a block of seven, conv2d again inside. */
const ITEMS = arrow({
  depth: ["count", [0, 1, 1, 1]],
  start: ["time", [0, 0, 500, 510]],
  end: ["time", [1000, 500, 510, 900]],
  value: ["time", [1000, 500, 6, 390]],
  own: ["time", [104, 500, 0, 390]],
  name: ["count", [0, 1, -1, 1]],
  kind: ["count", [MODULE, OPERATOR, -1, OPERATOR]],
  calls: ["count", [2, 4, 0, 1]],
  count: ["count", [1, 1, 7, 1]],
  match: ["flag", [false, true, true, false]],
});

const frames = () => new Frames(INFO, new Uint8Array(ITEMS));

describe("frames", () => {
  test("are found where they stand, narrow ones within reach", () => {
    const all = frames();
    expect(all.hit(0, 999, 0)?.name).toBe("Net_0");
    expect(all.hit(1, 250, 0)).toMatchObject({ name: "aten::conv2d", slot: 4, calls: 4 });
    expect(all.hit(1, 504, 0)?.count).toBe(7);
    expect(all.hit(1, 950, 0)).toBeNull();
    expect(all.hit(1, 950, 60)?.start).toBe(510);
    expect(all.hit(2, 100, 1000)).toBeNull();
  });

  test("arrow keys lead up, to the widest below, and to both sides", () => {
    const all = frames();
    const root = all.at(0)[0] as Frame;
    const [first, block, last] = all.at(1) as [Frame, Frame, Frame];
    expect(all.beside(root, "ArrowDown")).toBe(first);
    expect(all.beside(last, "ArrowUp")).toBe(root);
    expect(all.beside(first, "ArrowRight")).toBe(block);
    expect(all.beside(last, "ArrowLeft")).toBe(block);
    expect(all.beside(last, "ArrowRight")).toBeNull();
    expect(all.beside(last, "ArrowDown")).toBeNull();
  });

  test("say what they are, and of blocks how many they hold", () => {
    const [root, , block] = frames().all as [Frame, Frame, Frame];
    expect(frameText(root, INFO, "auto")).toEqual([
      "Net_0",
      "module",
      "1.00 ms, 100.0 % of all",
      "104 µs of its own",
      "2 calls",
    ]);
    expect(frameText(block, INFO, "auto")[0]).toBe("7 narrow frames");
    const bytes = { ...INFO, by: "bytes" as const, total: 2048 };
    expect(frameText({ ...root, value: 1024 }, bytes, "auto")).toContain("1.0 KiB, 50.0 % of all");
  });

  test("are drawn where they are, matches with a line and all others faint", () => {
    const boxes: [string, number, number, number][] = [];
    const texts: string[] = [];
    let fill = "";
    const pen = {
      clearRect() {},
      measureText: (text: string) => ({ width: text.length * 6 }),
      fillText: (text: string) => texts.push(text),
      fillRect: (x: number, y: number, width: number) => boxes.push([fill, x, y, width]),
      set fillStyle(color: string) {
        fill = color;
      },
    } as unknown as CanvasRenderingContext2D;
    const color = (at: number) => `#0000${at.toString(16).padStart(2, "0")}`;
    const palette = {
      bg: "#ffffff",
      subtle: "#eeeeee",
      accent: "#0000ff",
      muted: "#777777",
      font: "11px test",
      categories: CATEGORIES.map((_, at) => color(at)),
      categoryInk: CATEGORIES.map(() => "#111111"),
      slots: Array.from({ length: 10 }, (_, at) => color(100 + at)),
      slotInk: "#111111",
      kernels: [color(200), color(201), color(202), color(203)],
    } as unknown as Palette;
    const picture = { frames: frames(), width: 1000, height: 200, top: 0, title: "All, 1 ms" };
    paintFlame(pen, palette, { ...picture, span: [0, 1000], searching: false });
    expect(boxes).toContainEqual([color(103), 0, rowTop(0), 999]);
    expect(boxes).toContainEqual([color(104), 0, rowTop(1), 499]);
    expect(texts).toEqual(["All, 1 ms", "Net_0", "conv2d", "conv2d"]);
    boxes.length = 0;
    paintFlame(pen, palette, { ...picture, span: [500, 1000], searching: true, top: ROW });
    const marks = boxes.filter(([painted]) => painted === palette.accent);
    expect(marks).toHaveLength(2); // the first frame ends at the edge, the block matches
    expect(boxes.some(([painted]) => painted === color(103))).toBe(false);
    expect(boxes.every(([, x]) => x >= -1 && x <= 1001)).toBe(true);
  });
});

/** Net_0 with Block_0, which is closed, and Linear_0. */
const LINES = arrow({
  module_id: ["count", [0, 4, 9]],
  parent_id: ["count", [null, 0, 0]],
  name: ["text", ["Net_0", "Block_0", "Linear_0"]],
  occurrences: ["count", [3, 3, 3]],
  operators: ["count", [6, 9, 3]],
  host_total_us: ["time", [900, 500, 40]],
  host_self_us: ["time", [90, 50, 4]],
  share_pct: ["pct", [100, 60, 4]],
  level: ["count", [1, 2, 2]],
  expanded: ["flag", [true, false, null]],
  match: ["flag", [false, false, true]],
});
const PAGE = {
  total: 3,
  all: 76,
  of: 76,
  calls: null,
  slots: [1, 2, 3],
  maxima: { host_total_us: 900, host_self_us: 90, share_pct: 100 },
  hidden: [],
  keys: ["module_id", "name"],
  match: 2,
};

describe("lines of the tree", () => {
  const query = {} as Query;
  const store = new PageStore(query, {
    page: PAGE as unknown as Page,
    rows: readRows(new Uint8Array(LINES)),
  });

  test("keys go in and out, and open and close on the way", () => {
    const tree = new TreeLines(() => "");
    expect(tree.step(store, 0, true)).toBe(1);
    expect(tree.step(store, 2, true)).toBe(2);
    expect(tree.step(store, 2, false)).toBe(0);
    expect(tree.step(store, 1, false)).toBe(0);
    expect(tree.step(store, 1, true)).toBeUndefined();
    expect(tree.expansion).toEqual({ search: "", all: null, folds: { 4: true } });
    expect(tree.step(store, 0, false)).toBeUndefined();
    expect(tree.expansion.folds).toEqual({ 0: false, 4: true });
    expect(tree.attributes(store, 0)).toEqual({ "aria-level": 1, "aria-expanded": "true" });
    expect(tree.attributes(store, 2)).toEqual({ "aria-level": 2, "aria-expanded": null });
  });

  test("another search, and opening all, undo what was folded by hand", () => {
    let search = "";
    const tree = new TreeLines(() => search);
    tree.step(store, 1, true);
    search = "conv";
    expect(tree.expansion).toEqual({ search: "conv", all: null, folds: {} });
    tree.step(store, 1, true);
    tree.foldAll(true);
    expect(tree.expansion).toEqual({ search: "conv", all: true, folds: {} });
  });

  test("lines are indented by their level, less where there is little room", () => {
    const rows = readRows(new Uint8Array(LINES));
    let step = 7;
    const tree = new TreeLines(
      () => "",
      "module_id",
      "Modules",
      {},
      () => step,
    );
    const narrow = tree.look(rows, 2).indent;
    step = 14;
    expect(tree.look(rows, 2).indent).toBe(narrow + 7);
    expect(new TreeLines(() => "").look(rows, 2).indent).toBe(narrow + 7);
  });
});

let python: FakePython;
async function start(traits = {}, answers: Answers = {}) {
  python = show(
    widget,
    {
      active: "modules",
      group_by: "",
      views: ["timeline", "modules"],
      search: "",
      flame_by: "auto",
      flame_order: "left_heavy",
      flame_range: null,
      ...traits,
    },
    {
      page: () => ({ result: PAGE, buffers: [LINES] }),
      flame: () => ({ result: INFO, buffers: [ITEMS] }),
      ...answers,
    },
  );
  resized(1200);
  await settle();
}

/** Longer than a panel waits for changes to come to rest. */
const CALM = 80;

async function settle() {
  await new Promise((done) => setTimeout(done, CALM));
  for (let turn = 0; turn < 12; turn += 1) await new Promise((done) => setTimeout(done));
}

const find = (selector: string) => python.root.querySelector<HTMLElement>(selector);
const named = (text: string) =>
  [...python.root.querySelectorAll("button")].find(
    (button) => button.textContent === text && !button.hidden,
  );
const last = <T>(items: T[]) => items.at(-1) as T;

describe("the view", () => {
  beforeEach(() => vi.useRealTimers());
  afterEach(() => {
    python.close();
    document.body.replaceChildren();
  });

  test("is a tree for a screen reader, and asks for what is opened", async () => {
    await start();
    const rows = [...python.root.querySelectorAll("[role=treegrid] tbody tr")];
    expect(rows.map((row) => row.getAttribute("aria-level"))).toEqual(["1", "2", "2"]);
    expect(rows.map((row) => row.getAttribute("aria-expanded"))).toEqual(["true", "false", null]);
    expect(rows[2]?.querySelector(".nbp-match")?.textContent).toBe("Linear_0");
    rows[1]?.querySelector<HTMLElement>(".nbp-twisty")?.click();
    await settle();
    expect(last(asked(python, "page")).params.tree).toEqual({
      search: "",
      all: null,
      folds: { 4: true },
    });
    named("Collapse all")?.click();
    await settle();
    expect(last(asked(python, "page")).params.tree).toMatchObject({ all: false, folds: {} });
    expect(python.root.textContent).toContain("76 modules");
  });

  test("a row selects a module, which the timeline knows by its full name", async () => {
    await start();
    find("[role=treegrid] tbody tr:nth-child(2) td:nth-child(2)")?.click();
    await settle();
    expect(python.model.get("selection")).toEqual([{ module_id: 4, name: "Block_0" }]);
    named("Filter to selection")?.click();
    const pattern = "/^(?:nn\\.Module: |\\[pl\\]\\[module\\])?Block_0$/";
    expect(python.model.get("filter")).toEqual({ name: pattern });
    find("[role=treegrid] tbody tr:nth-child(2) td:nth-child(2)")?.click();
    await settle();
    named("Show in timeline")?.click();
    expect(python.model.get("search")).toBe(pattern);
    expect(python.model.get("active")).toBe("timeline");
  });

  test("a selection that names only the module is shown too", async () => {
    await start({ selection: [{ name: "Linear_0" }] });
    const selected = python.root.querySelectorAll("[role=treegrid] [aria-selected=true]");
    expect([...selected].map((row) => row.getAttribute("aria-rowindex"))).toEqual(["5"]);
  });

  test("width and order are traits, and a change shows everything", async () => {
    await start({ flame_range: [10, 20] });
    expect(last(asked(python, "flame")).params).toMatchObject({ range: [10, 20], by: "auto" });
    named("In time order")?.click();
    await settle();
    expect(python.model.get("flame_range")).toBeNull();
    expect(last(asked(python, "flame")).params).toMatchObject({ order: "time", range: null });
    named("Host time")?.click();
    expect(python.model.get("flame_by")).toBe("host");
  });

  test("keys move, zoom in and out", async () => {
    await start();
    const canvas = find(".nbp-flame canvas") as HTMLElement;
    const press = async (key: string) => {
      canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      await settle();
    };
    for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"]) await press(key);
    expect(find(".nbp-foot")?.textContent).toContain("aten::conv2d · operator · 390 µs");
    await press("Enter");
    expect(python.model.get("flame_range")).toEqual([510, 900]);
    await press("Escape");
    expect(python.model.get("flame_range")).toBeNull();
    await press("ArrowUp");
    await press("Enter");
    expect(python.model.get("flame_range")).toBeNull(); // it is everything already
    expect(python.model.get("selection")).toEqual([{ name: "Net_0" }]);
    await press("t");
    expect(python.model.get("active")).toBe("timeline");
  });

  test("what is typed marks in both, once the typing stops", async () => {
    await start();
    const field = find("input[aria-label^='Search modules']") as HTMLInputElement;
    field.value = "conv";
    field.dispatchEvent(new Event("input"));
    await vi.waitFor(() => expect(python.model.get("search")).toBe("conv"));
    await settle();
    expect(last(asked(python, "flame")).params.search).toBe("conv");
    expect(last(asked(python, "page")).params.tree).toMatchObject({ search: "conv" });
  });

  test("why there is nothing stands where it would be", async () => {
    const hint = "No memory was recorded. Record it with profile(profile_memory=True).";
    const none = { by: "bytes", order: "time", total: 0, found: 0, empty: hint };
    await start({}, { flame: () => ({ result: none }) });
    expect(python.root.textContent).toContain("No bytes allocated to draw");
    expect(python.root.textContent).toContain("profile(profile_memory=True)");
  });
});
