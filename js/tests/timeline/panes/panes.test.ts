import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CATEGORIES, CATEGORY_WORDS } from "../../../src/canvas/categories";
import type { Context } from "../../../src/core/context";
import { lengthText } from "../../../src/values/format";
import { Foot } from "../../../src/views/timeline/later/footer";
import { Help } from "../../../src/views/timeline/later/help";
import { LanesMenu } from "../../../src/views/timeline/later/lanes/lanesmenu";
import { positionText, rangeText } from "../../../src/views/timeline/panes/positiontext";
import { Toolbar } from "../../../src/views/timeline/panes/toolbar";
import { type FakeTimeline, fakeTimeline, KERNEL, LAYOUT, refOf } from "./fake";
import { aria, named, press, put, reason, type Stage, stage } from "./stage";

/** The toolbar with the menu that the second script brings. */
class Bar extends Toolbar {
  #menu: LanesMenu;

  constructor(...given: [Context, FakeTimeline]) {
    const menu = new LanesMenu(...given);
    super(...given, { menu, workers: null });
    this.#menu = menu;
  }

  override update(): void {
    super.update();
    if (#menu in this) this.#menu.update();
  }
}

let on: Stage;
beforeEach(() => {
  on = stage();
});
afterEach(() => {
  on.close();
  vi.useRealTimers();
});

describe("words", () => {
  test("every category has words", () => {
    expect(Object.keys(CATEGORY_WORDS)).toEqual([...CATEGORIES]);
  });

  test("positions keep their nanoseconds where these can be seen", () => {
    expect(positionText(431_169_123, 6_000_000, "auto")).toBe("431.169 ms");
    expect(positionText(431_169_123, 500, "auto")).toBe("431.169123 ms");
    expect(positionText(431_169_123, 6_000_000, "us")).toBe("431,169 µs");
    expect(positionText(0, 1e9, "auto")).toBe("0.000 ms");
  });

  test("a window is said in the unit of its ruler", () => {
    const text = (start_ns: number, end_ns: number) => rangeText({ start_ns, end_ns }, "auto");
    expect(text(425_600_000, 431_600_000)).toBe("425.600 to 431.600 ms (6.000 ms)");
    expect(text(412_737_362, 413_532_967)).toBe("412.7374 to 413.5330 ms (795.6 µs)");
    expect(text(412_737_362, 412_737_862)).toBe("412,737.362 to 412,737.862 µs (500 ns)");
  });

  test("lengths have about three digits, or the unit that was asked for", () => {
    const written = [640, 2304, 34_200, 275_000, 3_921_000, 1_065_600_000];
    expect(written.map((ns) => lengthText(ns, "auto"))).toEqual([
      "640 ns",
      "2.30 µs",
      "34 µs",
      "275 µs",
      "3.92 ms",
      "1.07 s",
    ]);
    expect(lengthText(640, "us")).toBe("0.640 µs");
    expect(lengthText(275_000, "ms")).toBe("0.275 ms");
    expect(lengthText(275_001, "ns")).toBe("275,001 ns");
  });
});

describe("toolbar", () => {
  test("says the window, and why what cannot act cannot", () => {
    const { pane, set, timeline } = put(on, Bar, { layout: null });
    expect(reason(named(pane.el, "Fit"))).toContain("being read");
    set({ layout: LAYOUT });
    expect(pane.el.textContent).toContain("425.600 to 431.600 ms (6.000 ms)");
    expect(reason(named(pane.el, "Fit"))).toBeUndefined();
    expect(reason(named(pane.el, "Zoom to selection"))).toBe("Select a slice or a range first.");
    named(pane.el, "Zoom to selection").click();
    expect(timeline.calls).toEqual([]);
    set({ selected: refOf(KERNEL), view: { start_ns: 0, end_ns: LAYOUT.end_ns } });
    expect(reason(named(pane.el, "Fit"))).toContain("whole trace is visible");
    named(pane.el, "Zoom to selection").click();
    named(pane.el, "Measure").click();
    named(pane.el, "Keys and gestures").click();
    expect(timeline.calls).toEqual([["zoomToSelection"], ["toggleMeasure"], ["toggleHelp"]]);
    set({ measuring: true });
    expect(aria(named(pane.el, "Measure"), "pressed")).toBe("true");
  });

  test("searches once the typing rests, and at once with Enter", () => {
    vi.useFakeTimers();
    const { pane, timeline, set } = put(on, Bar);
    const input = pane.el.querySelector("input") as HTMLInputElement;
    timeline.acted = (action, text) => action === "setSearch" && set({ search: String(text) });
    input.value = "conv";
    input.dispatchEvent(new Event("input"));
    pane.update(); // something else changed meanwhile: what was typed stays
    expect(input.value).toBe("conv");
    vi.advanceTimersByTime(300);
    expect(timeline.calls).toEqual([["setSearch", "conv"]]);
    input.value = "conv2d";
    input.dispatchEvent(new Event("input"));
    press(input, "Enter", { shiftKey: true });
    vi.advanceTimersByTime(1000);
    expect(timeline.calls.slice(1)).toEqual([
      ["setSearch", "conv2d"],
      ["findNext", -1],
    ]);
    press(input, "Escape");
    expect(timeline.calls.at(-1)).toEqual(["setSearch", ""]);
  });

  test("counts matches, and finds the next only where there is one", () => {
    const { pane, timeline, set } = put(on, Bar);
    const next = named(pane.el, "Next › match");
    const found = { count: 318, index: 107, hit: null, columns: [] };
    expect(reason(next)).toContain("Type a name");
    set({ search: "conv", found });
    expect(pane.el.querySelector("[aria-live]")?.textContent).toBe("107 of 318");
    next.click();
    named(pane.el, "‹ Prev match").click();
    expect(timeline.calls).toEqual([
      ["findNext", 1],
      ["findNext", -1],
    ]);
    set({ found: { ...found, index: 0 } });
    expect(pane.el.textContent).toContain("318 matches");
    set({ found: { ...found, index: 0, count: 0 } });
    expect(pane.el.textContent).toContain("No match");
    expect(reason(next)).toBe("There is no match to go to.");
  });

  test("without a kernel one still moves, but does not search", () => {
    const { pane } = put(on, Bar);
    on.ctx.session.router.disconnect();
    pane.update();
    expect(pane.el.querySelector("input")?.disabled).toBe(true);
    expect(reason(named(pane.el, "Next › match"))).toContain("needs Python");
    expect(reason(named(pane.el, "Fit"))).toBeUndefined();
  });
});

test("the menu of the lanes cannot be opened before its script is there", () => {
  const bar = new Toolbar(on.ctx, fakeTimeline(), { menu: null, workers: null });
  expect(reason(named(bar.el, "Lanes"))).toContain("being read");
  named(bar.el, "Lanes").click();
});

describe("menu of the lanes", () => {
  const box = (label: string) =>
    on.ctx.root.querySelector<HTMLInputElement>(`input[aria-label="${label}"]`) as HTMLInputElement;

  test("shows, hides, pins, folds and groups", async () => {
    const { pane, timeline, set } = put(on, Bar, { hidden: new Set(["gpu:0:7"]) });
    named(pane.el, "Lanes").click();
    expect(box("Show Thread 25738").checked).toBe(true);
    expect(box("Show Stream 7").checked).toBe(false);
    box("Show Thread 25738").click();
    box("Show GPU 0").click();
    box("Pin Utilization to the top").click();
    expect(timeline.calls).toEqual([
      ["toggleHidden", "cpu:25738:25738"],
      ["toggleHidden", "device:0"],
      ["togglePinned", "utilization:0"],
    ]);
    set({ hidden: new Set(), pinned: ["cpu:25738:25772"], collapsed: new Set(["gpu:0:7"]) });
    expect(box("Show Stream 7").checked).toBe(true);
    expect(box("Pin Thread 25772 to the top").checked).toBe(true);
    expect(reason(named(on.ctx.root, "Show all"))).toBe("No lane is hidden.");
    named(on.ctx.root, "Show all").click();
    named(on.ctx.root, "Expand all").click();
    expect(timeline.calls.at(-1)).toEqual(["collapseAll", false]);
    await vi.waitFor(() => {
      expect((named(on.ctx.root, "Module") as HTMLButtonElement).disabled).toBe(true);
    });
    expect(named(on.ctx.root, "Module").title).toBe("No modules recorded.");
  });
});

test("help takes the focus, keeps it, and gives it back", () => {
  const before = on.ctx.root.appendChild(document.createElement("button"));
  before.focus();
  const { pane, timeline, set } = put(on, Help);
  timeline.acted = () => set({ helpOpen: false });
  expect(pane.el.hidden).toBe(true);
  set({ helpOpen: true });
  expect(document.activeElement?.textContent).toBe("Close");
  press(document.activeElement as Element, "Tab");
  expect(pane.el.contains(document.activeElement)).toBe(true);
  const outside = vi.fn();
  on.ctx.root.addEventListener("keydown", outside);
  press(document.activeElement as Element, "w");
  press(document.activeElement as Element, "Escape");
  expect(outside).not.toHaveBeenCalled();
  expect(timeline.calls).toEqual([["toggleHelp"]]);
  expect(pane.el.hidden).toBe(true);
  expect(document.activeElement).toBe(before);
});

test("what is left out is said, and the window can be read as tables", async () => {
  const { pane, set } = put(on, Foot, { selected: refOf(KERNEL), details: KERNEL });
  const badge = pane.el.querySelector<HTMLElement>("[role=note]");
  expect(badge?.hidden).toBe(true);
  set({ leftOut: "4 of 10 slices are in blocks." });
  expect(badge?.textContent).toBe("4 of 10 slices are in blocks.");
  const toggle = named(pane.el, "View as table");
  toggle.click();
  await vi.waitFor(() => expect(pane.el.textContent).toContain("aten::add"));
  expect(aria(toggle, "expanded")).toBe("true");
  const { view } = fakeTimeline().state;
  expect(on.asked[0]?.params).toMatchObject({ ...view, lanes: [] });
  const facts = pane.el.querySelector("table[aria-label='Selected slice']");
  expect(facts?.textContent).toContain("LaneStream 7");
  expect(facts?.textContent).toContain("Occupancy25.0 %");
  set({ hidden: new Set(["gpu:0:7"]) });
  await vi.waitFor(() =>
    expect(on.asked.at(-1)?.params.lanes).toEqual(["cpu:25738:25738", "cpu:25738:25772"]),
  );
  toggle.click();
  expect(toggle.textContent).toBe("View as table");
});
