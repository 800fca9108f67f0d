import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SlicePane } from "../../../src/views/timeline/later/slice/slicepane";
import { Tip } from "../../../src/views/timeline/later/tip";
import type { Hit } from "../../../src/views/timeline/state/types";
import { KERNEL, LAYOUT, OPERATOR, refOf } from "./fake";
import { aria, named, press, put, reason, type Stage, stage } from "./stage";

const AREA = { start_ns: 426_245_000, end_ns: 430_166_000, lanes: ["gpu:0:7"] };

let on: Stage;
beforeEach(() => {
  on = stage();
});
afterEach(() => {
  on.close();
  vi.useRealTimers();
});

describe("details", () => {
  test("a slice with its facts, in the order of Python, and ways to go on", () => {
    const { pane, timeline, set } = put(on, SlicePane);
    expect(pane.el.textContent).toContain("Click a slice");
    set({ selected: refOf(KERNEL) });
    const terms = () => [...pane.el.querySelectorAll("dt")].map((term) => term.textContent);
    expect(terms()).toEqual(["Start", "Duration"]);
    set({ details: KERNEL });
    expect(terms().slice(0, 4)).toEqual(["Start", "Duration", "Queued for", "Stream"]);
    expect(pane.el.querySelector(".nbp-swatch")?.getAttribute("style")).toContain("--c-kernel");
    const ways = [...pane.el.querySelectorAll<HTMLElement>(".nbp-tl-way")];
    expect(ways.map((way) => way.textContent)).toEqual([
      "Operatoraten::cudnn_convolution[",
      "LaunchcudaLaunchKernelL",
      "BackwardCudnnConvolutionBackwardB",
      "Next call433.521 ms]",
    ]);
    ways[1]?.querySelector("button")?.click();
    expect(timeline.calls).toEqual([["goTo", KERNEL.follow[2]?.target]]);
  });

  test("names are text, call stacks are folded, nothing is said twice", () => {
    const { pane } = put(on, SlicePane, { selected: refOf(OPERATOR), details: OPERATOR });
    expect(pane.el.textContent).toContain("aten::<b>conv2d</b>");
    expect(pane.el.querySelector(".nbp-swatch")?.getAttribute("style")).toContain("--o-3");
    const terms = [...pane.el.querySelectorAll("dt")].map((term) => term.textContent);
    expect(terms).toEqual(["Start", "Duration", "Self", "Input shapes", "Thread"]);
    const frames = pane.el.querySelector<HTMLElement>(".nbp-tl-frames");
    expect(frames?.hidden).toBe(true);
    expect(pane.el.querySelector(".nbp-tl-frame1")?.textContent).toBe("train.py(43): <module>");
    named(pane.el, "+ 2 frames").click();
    expect(frames?.hidden).toBe(false);
    expect(frames?.children).toHaveLength(3);
  });

  test("a range is a table by name, host and device apart, and becomes the filter", async () => {
    const { pane, timeline, set } = put(on, SlicePane);
    const tab = (name: string) => named(pane.el, name);
    expect(reason(tab("Range"))).toContain("Shift+drag");
    set({ area: AREA });
    await vi.waitFor(() => expect(tab("Range").textContent).toBe("Range (10 slices)"));
    expect(aria(tab("Range"), "selected")).toBe("true");
    expect(on.asked.at(-1)?.params).toMatchObject({ group_by: "thread", ...AREA });
    expect(pane.el.textContent).toContain("426.245 to 430.166 ms (3.921 ms) · 1 of 3 lanes");
    const [device, host] = [...pane.el.querySelectorAll("table")];
    const cells = (table: Element | undefined) =>
      [...(table?.querySelectorAll("tbody tr") ?? [])].map((row) =>
        [...row.querySelectorAll("td")].map((cell) => cell.textContent),
      );
    expect(cells(host)).toEqual([
      ["aten::<i>mm</i>", "5", "300", "300", "60"],
      ["aten::add", "3", "900", "100", "300"],
    ]);
    expect(cells(device)).toEqual([["gemm<float>", "2", "700", "350"]]);
    host?.querySelector<HTMLElement>("[data-key=total_us] button")?.click();
    expect(cells(host)[0]?.[0]).toBe("aten::add");
    host?.querySelector<HTMLElement>("[data-key=count] button")?.click();
    expect(cells(host)[0]?.[0]).toBe("aten::<i>mm</i>");
    host?.querySelector<HTMLElement>("tbody tr")?.click();
    expect(timeline.calls).toEqual([["setSearch", "/^aten::<i>mm<\\/i>$/"]]);
    tab("Filter everything").click();
    expect(timeline.calls.at(-1)).toEqual(["filterToArea"]);
    on.model.set("filter", { time_us: [426_245, 430_166] });
    pane.update();
    expect(tab("Remove the time filter")).toBeDefined();
    set({ selected: refOf(KERNEL), details: KERNEL });
    expect(aria(tab("Slice"), "selected")).toBe("true");
    press(tab("Slice"), "ArrowRight");
    expect(aria(tab("Range"), "selected")).toBe("true");
    set({ area: null });
    expect(tab("Remove the time filter").hidden).toBe(false);
    on.model.set("filter", {});
    pane.update();
    expect(tab("Filter everything").hidden).toBe(true);
    expect(tab("Range").textContent).toBe("Range");
  });

  test("the same range is asked for once, and without a kernel not at all", async () => {
    const { pane, set } = put(on, SlicePane, { area: AREA });
    await vi.waitFor(() => expect(pane.el.textContent).toContain("10 slices"));
    for (let turn = 0; turn < 5; turn += 1) set({ pointer: { x: turn, y: 0 } });
    expect(on.asked).toHaveLength(1);
    on.ctx.session.router.disconnect();
    set({ area: { ...AREA, end_ns: 429_000_000 } });
    expect(on.asked).toHaveLength(1);
    expect(reason(named(pane.el, "Filter everything"))).toContain("needs Python");
    // The table of another range must not pass for that of this one.
    expect(named(pane.el, "Range").textContent).toBe("Range");
    expect(pane.el.querySelector<HTMLElement>(".nbp-loader")?.hidden).toBe(true);
    set({ area: AREA });
    expect(named(pane.el, "Range").textContent).toBe("Range (10 slices)");
    expect(pane.el.querySelector<HTMLElement>(".nbp-loader")?.hidden).toBe(false);
  });

  test("on a page there is no cell to run again", () => {
    (on.ctx.session.model as { page?: boolean }).page = true;
    on.ctx.session.router.disconnect();
    const { pane } = put(on, SlicePane, { selected: refOf(KERNEL) });
    expect(pane.el.textContent).toContain("Open the profile in a notebook");
    expect(pane.el.textContent).not.toContain("cell");
  });
});

describe("tooltip", () => {
  const hit = (more: Partial<Hit> = {}): Hit => ({
    lane: LAYOUT.lanes[2] as Hit["lane"],
    row: 9,
    time_ns: KERNEL.start_ns,
    slice: refOf(KERNEL),
    span: null,
    name: KERNEL.name,
    category: "kernel",
    count: 1,
    busy_ns: 275_000,
    ...more,
  });
  const pointer = { x: 10, y: 10 };
  const span = { start_ns: 431_169_000, end_ns: 431_209_000 };
  const block = hit({ count: 12, busy_ns: 34_200, name: "", slice: null, span });

  test("a block that was clicked says in the pane what it stands for, and is zoomed into", () => {
    const { pane, timeline, set } = put(on, SlicePane, { block });
    expect(pane.el.querySelector(".nbp-tl-name")?.textContent).toBe("12 slicesmostly kernels");
    const facts = [...pane.el.querySelectorAll("dt, dd")].map((each) => each.textContent);
    expect(facts).toEqual(["First start", "431.169 ms", "Extent", "40 µs", "Busy", "34 µs"]);
    named(pane.el, "Zoom in").click();
    expect(timeline.calls).toEqual([["zoomTo", span]]);
    set({ block: { ...block, span: { ...span, end_ns: span.start_ns } } });
    expect(named(pane.el, "Zoom in")).toBeUndefined();
    expect(pane.el.textContent).toContain("zooming in cannot separate them");
    set({ block: null });
    expect(pane.el.textContent).toContain("Click a slice");
  });

  test("says at once what is known, and the rest when the pointer stays", async () => {
    vi.useFakeTimers();
    const { pane, set } = put(on, Tip);
    expect(pane.el.hidden).toBe(true);
    set({ hovered: hit(), pointer });
    const lines = () => [...pane.el.children].map((line) => line.textContent);
    expect(lines()).toEqual(["volta_scudnn_128x64_relu_small_nn_v1<float>", "431.169 ms · 275 µs"]);
    vi.advanceTimersByTime(100);
    set({ hovered: hit({ time_ns: 1 }) }); // still the same slice
    expect(on.asked).toHaveLength(0);
    vi.advanceTimersByTime(30);
    vi.useRealTimers();
    await vi.waitFor(() => expect(lines()).toHaveLength(4));
    expect(lines().slice(1)).toEqual([
      "431.169 ms · 275 µs · 25.0 % occupancy",
      "launched by aten::cudnn_convolution, queued 616 µs",
      "Grid [784, 1, 1] · Block [128, 1, 1] · Registers 128 a thread",
    ]);
    set({ hovered: null });
    expect(pane.el.hidden).toBe(true);
    set({ hovered: hit() });
    expect(lines()).toHaveLength(4);
    expect(on.asked).toHaveLength(1);
  });

  test("asks for nothing that the pointer only passed", () => {
    vi.useFakeTimers();
    const { set } = put(on, Tip);
    for (const slice of [1, 2, 3]) {
      set({ hovered: hit({ slice: { ...refOf(KERNEL), slice } }), pointer });
      vi.advanceTimersByTime(60);
    }
    set({ hovered: hit({ slice: null, count: 0, category: null }) });
    vi.advanceTimersByTime(1000);
    expect(on.asked).toHaveLength(0);
  });

  test("a block says what it stands for", () => {
    const { pane, set } = put(on, Tip);
    set({ hovered: block, pointer });
    expect(pane.el.textContent).toBe("12 slices, 34 µs busy, mostly kernels, zoom in");
    const instant = { start_ns: 5, end_ns: 5 };
    set({ hovered: hit({ count: 3, busy_ns: 0, name: "", span: instant }) });
    expect(pane.el.textContent).toBe("3 slices, 0 ns busy, mostly kernels, all at the same time");
    set({ hovered: hit({ slice: null, count: 0, category: null }) });
    expect(pane.el.hidden).toBe(true);
  });
});
