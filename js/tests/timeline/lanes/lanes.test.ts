/** Lanes as a person arranges them: with the mouse, with keys, from Python, and over traces. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LAYOUT } from "../fake";
import { begin, end, live, press, python, root, saved, settled, start } from "../harness";

beforeEach(begin);
afterEach(end);

const lanes = () => saved<Record<string, unknown>>("lanes");
const head = (key: string) => root.querySelector<HTMLElement>(`[data-key="${key}"]`) as HTMLElement;
const top = (key: string) => Number.parseFloat(head(key).style.top);
const height = (key: string) => Number.parseFloat(head(key).style.height);
const box = () => root.querySelector(".nbp-tl-lanes") as HTMLElement;
const mark = () => root.querySelector<HTMLElement>(".nbp-tl-drop") as HTMLElement;

function order(): (string | undefined)[] {
  const heads = [...root.querySelectorAll<HTMLElement>("[data-key]")];
  const place = (one: HTMLElement) => Number.parseFloat(one.style.top);
  return heads.sort((a, b) => place(a) - place(b)).map((one) => one.dataset.key);
}

/** Lay the heads out as their styles say, which happy-dom does not. */
function layOut(): void {
  for (const one of root.querySelectorAll<HTMLElement>("[data-key]"))
    one.getBoundingClientRect = () =>
      new DOMRect(0, Number.parseFloat(one.style.top), 176, Number.parseFloat(one.style.height));
}

function point(type: string, el: Element, clientY: number): void {
  const more = { clientY, clientX: 20, button: 0, pointerId: 1, bubbles: true, cancelable: true };
  el.dispatchEvent(new PointerEvent(type, more));
}

function drag(key: string, from: number, to: number): void {
  layOut();
  point("pointerdown", head(key), from);
  point("pointermove", box(), (from + to) / 2);
  point("pointermove", box(), to);
}

async function begun(traits = {}): Promise<void> {
  await start({ lanes: {}, timeline_height: null, ...traits });
  await vi.waitFor(() => expect(mark()).not.toBeNull());
  await settled();
}

describe("the mouse", () => {
  test("drags a lane to the place of another of its group, and shows where it goes", async () => {
    await begun();
    expect(order()).toEqual([
      "process:1",
      "cpu:1:7",
      "cpu:1:8",
      "device:0",
      "gpu:0:7",
      "utilization:0",
    ]);
    drag("cpu:1:8", top("cpu:1:8") + 4, top("cpu:1:7") + 4);
    expect(mark().hidden).toBe(false);
    expect(mark().style.top).toBe(`${top("cpu:1:7") - 1}px`);
    expect(lanes()).toEqual({});
    point("pointerup", box(), 30);
    head("cpu:1:8").click(); // the browser's click after a drag opens no menu
    await settled();
    expect(mark().hidden).toBe(true);
    expect(order().slice(0, 3)).toEqual(["process:1", "cpu:1:8", "cpu:1:7"]);
    expect(lanes()).toEqual({ order: ["cpu:1:8"] });
    expect(live()).toContain("Thread 8 is number 1 of 2");
    expect(root.querySelector(".nbp-menu:not([hidden])")).toBeNull();
  });

  test("drags a group with its lanes", async () => {
    await begun();
    drag("device:0", top("device:0") + 4, 8);
    point("pointerup", box(), 8);
    await settled();
    expect(order()).toEqual([
      "device:0",
      "gpu:0:7",
      "utilization:0",
      "process:1",
      "cpu:1:7",
      "cpu:1:8",
    ]);
    expect(lanes()).toEqual({ order: ["device:0"] });
  });

  test("drags the lower edge, and a double click gives the usual height", async () => {
    await begun();
    const usual = height("gpu:0:7");
    const edge = top("gpu:0:7") + usual - 2;
    drag("gpu:0:7", edge, edge + 30);
    await settled();
    expect(height("gpu:0:7")).toBe(usual + 30);
    expect(lanes()).toEqual({}); // not before it is released
    point("pointerup", box(), edge + 30);
    await settled();
    expect(lanes()).toEqual({ heights: { "gpu:0:7": 48 } });
    drag("utilization:0", top("utilization:0") + 36, top("utilization:0") + 76);
    point("pointerup", box(), 0);
    expect(lanes()).toEqual({ heights: { "gpu:0:7": 48, "utilization:0": 78 } });
    layOut();
    point("pointerdown", head("gpu:0:7"), top("gpu:0:7") + usual + 28);
    point("pointerup", box(), top("gpu:0:7") + usual + 28);
    head("gpu:0:7").dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
    await settled();
    expect(height("gpu:0:7")).toBe(usual);
    expect(lanes()).toEqual({ heights: { "utilization:0": 78 } });
  });

  test("Escape ends a drag, and all is as before", async () => {
    await begun();
    const usual = height("gpu:0:7");
    const edge = top("gpu:0:7") + usual - 2;
    drag("gpu:0:7", edge, edge + 30);
    press("Escape", {}, head("gpu:0:7"));
    point("pointerup", box(), edge + 30);
    drag("cpu:1:8", top("cpu:1:8") + 4, 24);
    press("Escape", {}, head("cpu:1:8"));
    point("pointerup", box(), 24);
    await settled();
    expect(height("gpu:0:7")).toBe(usual);
    expect(lanes()).toEqual({});
    expect(mark().hidden).toBe(true);
  });
});

describe("the keyboard", () => {
  const key = (on: string, name: string, more = {}) => press(name, more, head(on));

  test("moves, pins, hides, folds and resizes the lane whose name has the focus", async () => {
    await begun();
    expect(key("cpu:1:8", "ArrowUp", { altKey: true })).toBe(true);
    expect(lanes()).toEqual({ order: ["cpu:1:8"] });
    key("cpu:1:8", "ArrowUp", { altKey: true });
    expect(live()).toBe("Thread 8 is already the first");
    key("cpu:1:8", "ArrowDown", { altKey: true });
    expect(lanes()).toEqual({});
    key("gpu:0:7", "p");
    key("gpu:0:7", "+");
    key("cpu:1:7", "ArrowLeft");
    expect(lanes()).toEqual({
      pinned: ["gpu:0:7"],
      collapsed: { "cpu:1:7": true },
      heights: { "gpu:0:7": 21 },
    });
    await settled();
    expect(order().slice(0, 2)).toEqual(["pinned", "gpu:0:7"]);
    expect(head("cpu:1:7").getAttribute("aria-expanded")).toBe("false");
    key("cpu:1:7", "ArrowRight");
    key("cpu:1:8", "h");
    await settled();
    expect(head("cpu:1:8")).toBeNull();
    expect(lanes()).toEqual({
      hidden: ["cpu:1:8"],
      pinned: ["gpu:0:7"],
      heights: { "gpu:0:7": 21 },
    });
  });

  test("reaches the names with one Tab, and each of them with arrows", async () => {
    await begun();
    const stops = () => [...root.querySelectorAll('.nbp-tl-lanes [data-key][tabindex="0"]')];
    expect(stops()).toHaveLength(1);
    head("process:1").focus();
    key("process:1", "ArrowDown");
    await settled();
    await vi.waitFor(() => expect(stops()).toEqual([head("cpu:1:7")]));
    key("cpu:1:7", "ArrowUp");
    await vi.waitFor(() => expect(stops()).toEqual([head("process:1")]));
  });

  test("opens a menu with all of it", async () => {
    await begun();
    head("gpu:0:7").click();
    const items = () => [...root.querySelectorAll<HTMLButtonElement>(".nbp-tl-headmenu button")];
    expect(items().map((item) => [item.firstChild?.textContent, item.disabled])).toEqual([
      ["Pin to the top", false],
      ["Hide", false],
      ["Move up", true],
      ["Move down", false],
      ["Taller", false],
      ["Lower", false],
      ["Usual height", true],
    ]);
    items()[3]?.click();
    expect(lanes()).toEqual({ order: ["utilization:0"] });
    expect(items()).toEqual([]);
  });
});

describe("what is kept", () => {
  test("Python arranges, and keys of other traces stay", async () => {
    const elsewhere = { order: ["gpu:9:9"], hidden: ["cpu:9:9"], pinned: ["gpu:9:7"] };
    await begun({ lanes: elsewhere });
    expect(order()).toHaveLength(6);
    press("p", {}, head("cpu:1:8"));
    press("h", {}, head("cpu:1:7"));
    press("ArrowUp", { altKey: true }, head("utilization:0"));
    expect(lanes()).toEqual({
      order: ["gpu:9:9", "utilization:0"],
      hidden: ["cpu:9:9", "cpu:1:7"],
      pinned: ["gpu:9:7", "cpu:1:8"],
    });
    const given = { pinned: ["utilization:0"], collapsed: { "process:1": true } };
    python.model.receive({ state: { lanes: given } });
    await settled();
    expect(order()).toEqual(["pinned", "utilization:0", "process:1", "device:0", "gpu:0:7"]);
    expect(lanes()).toEqual(given);
  });

  test("what is folded at first and then opened is said, and no more", async () => {
    const [first, ...others] = LAYOUT.lanes;
    const folded = { ...first, folded: "Python frame" } as (typeof LAYOUT.lanes)[0];
    const layout = { ...LAYOUT, lanes: [folded, ...others] };
    const { ANSWERS, MINIMAP } = await import("../fake");
    const usual = ANSWERS.timeline;
    ANSWERS.timeline = () => ({ result: layout, buffers: [MINIMAP] });
    await begun();
    if (usual) ANSWERS.timeline = usual;
    expect(head("cpu:1:7").getAttribute("aria-expanded")).toBe("false");
    head("cpu:1:7").click();
    expect(lanes()).toEqual({ collapsed: { "cpu:1:7": false } });
    head("cpu:1:7").click();
    expect(lanes()).toEqual({});
  });

  test("Reset lanes gives everything back", async () => {
    await begun({
      lanes: { order: ["device:0"], hidden: ["cpu:1:8"], heights: { "gpu:0:7": 60 } },
      timeline_height: 200,
    });
    expect(order()[0]).toBe("device:0");
    const button = (words: string) =>
      [...root.querySelectorAll("button")].find((one) => one.textContent?.startsWith(words));
    button("Lanes")?.click();
    expect(button("Reset lanes")?.getAttribute("aria-disabled")).toBeNull();
    button("Reset lanes")?.click();
    await settled();
    expect([lanes(), saved("timeline_height")]).toEqual([{}, null]);
    expect(order()).toHaveLength(6);
    expect(button("Reset lanes")?.getAttribute("aria-disabled")).toBe("true");
  });

  test("the height is a trait, and dragging writes it once", async () => {
    await begun({ timeline_height: 100 });
    const grip = root.querySelector(".nbp-tl-grip") as HTMLElement;
    const now = () => Number(grip.getAttribute("aria-valuenow"));
    expect(now()).toBeLessThanOrEqual(100);
    python.model.receive({ state: { timeline_height: null } });
    await vi.waitFor(() => expect(now()).toBeGreaterThan(130));
    point("pointerdown", grip, 500);
    point("pointermove", grip, 400);
    expect(saved("timeline_height")).toBeNull();
    const before = now();
    point("pointerup", grip, 400);
    expect(saved("timeline_height")).toBe(before - 100);
  });
});
