import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { asked } from "../fixtures";
import { ANSWERS } from "./fake";
import {
  begin,
  canvas,
  click,
  drag,
  end,
  live,
  point,
  press,
  python,
  ROWS,
  resized,
  root,
  ruler,
  saved,
  settled,
  start,
  text,
  WIDTH,
  window_,
  windowSaved,
  xOf,
} from "./harness";

beforeEach(begin);
afterEach(end);

describe("slices", () => {
  test("a click selects, the details come, and the trait names the slice", async () => {
    await start();
    click(xOf(350_000), ROWS[3] as number);
    expect(saved("selection")).toEqual([{ side: "device", row: 0 }]);
    await vi.waitFor(() => expect(live()).toContain("Selected void conv_kernel"));
    expect(asked(python, "slice").at(-1)?.params.slice).toBe(6);
    click(xOf(450_000), ROWS[0] as number);
    expect(saved("selection")).toEqual([]);
  });

  test("hovering says what is there, and leaving ends it", async () => {
    await start();
    point("pointermove", xOf(150_000), ROWS[1] as number);
    await vi.waitFor(() =>
      expect(root.querySelector(".nbp-tl-tip:not([hidden])")?.textContent).toContain(
        "aten::cudnn_convolution",
      ),
    );
    point("pointerleave", 0, 0);
    await vi.waitFor(() => expect(root.querySelector(".nbp-tl-tip:not([hidden])")).toBeNull());
  });

  test("arrow keys go to the slices beside, below and above", async () => {
    await start();
    click(xOf(50_000), ROWS[0] as number);
    press("ArrowRight");
    expect(saved("selection")).toEqual([{ side: "host", row: 3 }]);
    press("ArrowLeft");
    expect(saved("selection")).toEqual([{ side: "host", row: 0 }]);
    click(xOf(150_000), ROWS[1] as number);
    press("ArrowUp");
    expect(saved("selection")).toEqual([{ side: "host", row: 0 }]);
  });

  test("a key follows to the kernel, also into a folded group", async () => {
    await start();
    root.querySelectorAll<HTMLElement>(".nbp-tl-group")[1]?.click();
    click(xOf(255_000), ROWS[1] as number);
    await vi.waitFor(() => expect(live()).toContain("cudaLaunchKernel"));
    press("k");
    expect(saved("selection")).toEqual([{ side: "device", row: 0 }]);
    await settled();
    expect(root.querySelectorAll(".nbp-tl-lane")).toHaveLength(3);
    press("l");
    await vi.waitFor(() => expect(live()).toContain("No launch to go to"));
    const note = root.querySelector<HTMLElement>(".nbp-tl-note");
    expect(note?.textContent).toBe("No launch to go to");
    expect(note?.hidden).toBe(false);
    await vi.waitFor(() => expect(note?.hidden).toBe(true), 3000);
    press("Escape");
    for (const key of ["k", "l", "b", "[", "]", "f"]) {
      press(key);
      expect(note?.textContent).toContain("Select a slice");
    }
  });

  test("a selection of Python is shown and brought into sight, without an echo", async () => {
    await start({ window: [0, 100] });
    python.model.receive({ state: { selection: [{ side: "host", row: 5 }] } });
    await vi.waitFor(() => expect(window_()?.[0]).toBeGreaterThan(700));
    expect(text()).toContain("ConvolutionBackward");
    expect(python.saved.filter((state) => "selection" in state)).toEqual([]);
  });

  test("another view of the model shows the same selection and window", async () => {
    await start();
    const second = document.body.appendChild(document.createElement("div"));
    python.again(second);
    resized(WIDTH);
    await settled();
    click(xOf(700_000), ROWS[0] as number);
    press("f");
    await windowSaved();
    const other = second.shadowRoot?.querySelector(".nbp-tl-lanes canvas");
    await vi.waitFor(() =>
      expect(other?.getAttribute("aria-label")).toBe(canvas().getAttribute("aria-label")),
    );
    expect(second.shadowRoot?.querySelector(".nbp-tl-details")?.textContent).toContain(
      "aten::conv2d",
    );
  });
});

describe("search", () => {
  test("it is counted, marked and gone through", async () => {
    await start();
    python.model.receive({ state: { search: "conv_kernel" } });
    await vi.waitFor(() => expect(text()).toContain("2 matches"));
    await vi.waitFor(() =>
      expect(asked(python, "slices").at(-1)?.params.search).toBe("conv_kernel"),
    );
    press("n");
    await vi.waitFor(() => expect(saved("selection")).toEqual([{ side: "device", row: 0 }]));
    press("n");
    await vi.waitFor(() => expect(saved("selection")).toEqual([{ side: "device", row: 1 }]));
    await vi.waitFor(() => expect(text()).toContain("2 of 2"));
    press("N", { shiftKey: true });
    await vi.waitFor(() => expect(saved("selection")).toEqual([{ side: "device", row: 0 }]));
  });

  test("a pattern that is none says so, until another is searched for", async () => {
    const error = { type: "E", message: "(( is no pattern", hint: "", details: "" };
    const find: typeof ANSWERS.find = (request) =>
      request.params.search === "/((/" ? { error } : (ANSWERS.find?.(request) ?? {});
    await start({}, { find });
    python.model.receive({ state: { search: "/((/" } });
    const said = () => root.querySelector<HTMLElement>(".nbp-tl-error:not([hidden])")?.textContent;
    await vi.waitFor(() => expect(said()).toContain("Error: (( is no pattern"));
    python.model.receive({ state: { search: "conv_kernel" } });
    await vi.waitFor(() => expect(text()).toContain("2 matches"));
    expect(said()).toBeUndefined();
  });

  test("/ leads to the field, and what is typed there is the trait", async () => {
    await start();
    press("/");
    const field = root.querySelector<HTMLInputElement>(".nbp-tl-toolbar input");
    expect((root.getRootNode() as ShadowRoot).activeElement).toBe(field);
    if (field) field.value = "conv2d";
    field?.dispatchEvent(new Event("input"));
    await vi.waitFor(() => expect(saved("search")).toBe("conv2d"));
    await vi.waitFor(() => expect(text()).toContain("2 matches"));
  });
});

describe("a range", () => {
  const area = () => drag([xOf(200_000), 40], [xOf(600_000), 70], { shiftKey: true });

  test("Shift and drag over lanes selects it, Enter filters to it and takes that back", async () => {
    await start();
    area();
    const keys = saved<Record<string, unknown>[]>("selection");
    expect(keys.map((key) => key.lane)).toEqual(["cpu:1:7", "cpu:1:8"]);
    expect(keys[0]?.start_us).toBeCloseTo(200, 0);
    press("Enter");
    const filter = saved<{ time_us: number[] }>("filter");
    expect(filter.time_us).toEqual([keys[0]?.start_us, keys[0]?.end_us]);
    press("Enter");
    expect(saved("filter")).toEqual({});
    press("Escape");
    expect(saved("selection")).toEqual([]);
  });

  test("on the ruler it is over all lanes", async () => {
    await start();
    drag([xOf(200_000), 5], [xOf(300_000), 5], { shiftKey: true }, ruler());
    expect(saved<object[]>("selection")).toHaveLength(3);
  });

  test("Escape takes back one that is being drawn", async () => {
    await start();
    point("pointerdown", 100, 40, { shiftKey: true });
    point("pointermove", 300, 60, { shiftKey: true });
    press("Escape");
    point("pointermove", 320, 60, { shiftKey: true });
    point("pointerup", 320, 60, { shiftKey: true });
    expect(saved("selection")).toEqual([]);
  });

  test("one of Python is taken over", async () => {
    await start();
    const selection = [{ lane: "cpu:1:8", start_us: 100, end_us: 200 }];
    python.model.receive({ state: { selection } });
    await settled();
    expect(text()).toContain("Range");
    press("f");
    await vi.waitFor(() => expect(window_()?.[0]).toBeCloseTo(87.5, 0));
  });
});

describe("a range by keys", () => {
  test("it begins with the selected slice, grows, shrinks and takes in lanes", async () => {
    await start();
    click(xOf(50_000), ROWS[0] as number);
    press("ArrowRight", { shiftKey: true });
    const key = (at: number) => saved<Record<string, unknown>[]>("selection")[at];
    expect(key(0)).toEqual({ lane: "cpu:1:7", start_us: 0, end_us: 450 });
    press("ArrowLeft", { shiftKey: true });
    expect(key(0)?.end_us).toBe(400);
    press("ArrowDown", { shiftKey: true });
    expect(saved<object[]>("selection")).toHaveLength(2);
    expect(live()).toBe("400.0 µs of 2 lanes selected");
    press("Enter");
    expect(saved("filter")).toEqual({ time_us: [0, 400] });
  });

  test("without a slice it begins in the middle of the window", async () => {
    await start({ window: [200, 400] });
    press("ArrowRight", { shiftKey: true });
    expect(saved("selection")).toEqual([{ lane: "cpu:1:7", start_us: 290, end_us: 310 }]);
  });
});
