/** The memory view: brushing, marks, devices, what Python is asked. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Brush, type Plane } from "../../src/views/memory/brush";
import { resized } from "../fakewidth";
import { type Answers, arrow, asked, type FakePython, INFO, show } from "../fixtures";

const { default: widget } = await import("../../src/index");
const { maker } = await import("../../src/core/dom");

const PLANE: Plane = {
  left: 40,
  right: 60,
  top: 36,
  bottom: 38,
  start_us: 0,
  end_us: 1000,
  bytes: 2 ** 20,
};
const MIB = 2 ** 20;

const ANSWER = {
  devices: [
    { key: "gpu:0", label: "GPU 0" },
    { key: "cpu", label: "CPU" },
  ],
  device: "gpu:0",
  peaks: [{ label: "GPU 0", bytes: 24 * MIB, time_us: 7000, capacity: 64 * MIB }],
  records: 1234,
  figure: null,
  plane: PLANE,
};

const EVENTS = arrow({
  device_type: ["text", ["gpu", "gpu"]],
  device: ["count", [0, 0]],
  operator: ["text", ["aten::conv2d (aten::empty)", null]],
  size_bytes: ["count", [16 * MIB, 2 * MIB]],
  allocation_us: ["time", [100, null]],
  release_us: ["time", [500, 800]],
  duration_us: ["time", [400, null]],
});

const KEYS = ["device_type", "device", "operator", "size_bytes", "allocation_us", "release_us"];

function page(request: { params: Record<string, unknown> }) {
  const events = request.params.table === "memory_events";
  const result = {
    calls: null,
    slots: [],
    maxima: { size_bytes: 16 * MIB },
    hidden: [],
    sort: null,
  };
  return events
    ? { result: { ...result, total: 2, all: 2, keys: KEYS }, buffers: [EVENTS] }
    : { result: { ...result, total: 0, all: 0 } };
}

let python: FakePython;
async function start(traits = {}, answers: Answers = {}) {
  python = show(
    widget,
    {
      active: "memory",
      group_by: "operators",
      views: ["timeline", "memory"],
      memory_device: "",
      memory_range: null,
      ...traits,
    },
    { memory: () => ({ result: ANSWER }), page, ...answers },
  );
  resized(1000);
  await vi.waitFor(() => expect(asked(python, "catalog")).toHaveLength(1));
  return python.root;
}

const buttonNamed = (root: HTMLElement, words: string) =>
  [...root.querySelectorAll("button")].find((button) => button.textContent === words);
const blocks = (root: HTMLElement) => [
  ...root.querySelectorAll<HTMLElement>('table[aria-label="Allocations"] tr[aria-selected]'),
];
const tables = () => asked(python, "page").map((request) => request.params.table);

beforeEach(() => document.body.replaceChildren());
afterEach(() => python?.close());

test("the head says the peak and whose it is; three tables are asked for", async () => {
  const root = await start();
  await vi.waitFor(() => expect(root.textContent).toContain("Peak 24.0 MiB of 64.0 MiB (37.5 %)"));
  expect(root.textContent).toContain("1,234 records");
  const pressed = [...root.querySelectorAll('[aria-label="Device"] button')].map((button) => [
    button.textContent,
    button.getAttribute("aria-pressed"),
  ]);
  expect(pressed).toEqual([
    ["GPU 0", "true"],
    ["CPU", "false"],
    ["Overlay", "false"],
  ]);
  expect(new Set(tables())).toEqual(
    new Set(["memory_operators", "memory_events", "memory_peak_holders"]),
  );
  buttonNamed(root, "Overlay")?.click();
  expect(python.model.get("memory_device")).toBe("all");
  await vi.waitFor(() =>
    expect(asked(python, "memory").at(-1)?.params.memory).toEqual({ device: "all" }),
  );
});

test("a range is told to Python, narrows the tables, and becomes the filter on request", async () => {
  const root = await start();
  const first = () => root.querySelector<HTMLInputElement>('input[aria-label="Range, ms, first"]');
  await vi.waitFor(() => expect(first()?.placeholder).toBe("0"));
  const field = first() as HTMLInputElement;
  field.value = "0.25";
  field.dispatchEvent(new Event("change", { bubbles: true }));
  expect(python.model.get("memory_range")).toEqual([250, 1000]);
  await vi.waitFor(() =>
    expect(asked(python, "page").at(-1)?.params.memory).toMatchObject({ range: [250, 1000] }),
  );
  expect(asked(python, "memory")).toHaveLength(1); // the curve is that of the filter
  await vi.waitFor(() =>
    expect(buttonNamed(root, "Filter everything to the range")?.hidden).toBe(false),
  );
  buttonNamed(root, "Filter everything to the range")?.click();
  expect(python.saved.at(-1)).toEqual({ filter: { time_us: [250, 1000] }, memory_range: null });
});

test("a block is selected by its keys, and its table becomes the one that is meant", async () => {
  const root = await start();
  await vi.waitFor(() => expect(blocks(root)).toHaveLength(2));
  expect(blocks(root)[1]?.textContent).toContain("allocated before the trace");
  blocks(root)[0]?.click();
  expect(python.saved.at(-1)).toEqual({
    group_by: "events",
    selection: [
      {
        device_type: "gpu",
        device: 0,
        operator: "aten::conv2d (aten::empty)",
        size_bytes: 16 * MIB,
        allocation_us: 100,
        release_us: 500,
      },
    ],
  });
  await vi.waitFor(() => expect(blocks(root)[0]?.getAttribute("aria-selected")).toBe("true"));
  expect(root.querySelectorAll(".nbp-lifetime")).toHaveLength(1);
  expect(root.querySelector(".nbp-lifetime")?.textContent).toBe("16.0 MiB, 400 µs");
});

test("pointing at a block marks it, and Enter shows its life in the timeline", async () => {
  const root = await start();
  await vi.waitFor(() => expect(blocks(root)).toHaveLength(2));
  const cell = blocks(root)[1]?.querySelector("td");
  cell?.dispatchEvent(new Event("pointerover", { bubbles: true }));
  const marks = () => [...root.querySelectorAll(".nbp-lifetime")];
  await vi.waitFor(() =>
    expect(marks().map((mark) => mark.textContent)).toEqual(["2.0 MiB, allocated before"]),
  );
  expect(marks()[0]?.querySelectorAll("i")).toHaveLength(1);
  root
    .querySelector('table[aria-label="Allocations"] tbody')
    ?.dispatchEvent(new Event("pointerleave"));
  await vi.waitFor(() => expect(marks()).toHaveLength(0));
  blocks(root)[0]?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  expect(python.saved.at(-1)).toMatchObject({ active: "timeline", window: [50, 550] });
});

test("sizes are all at first, and a range of them is Python's to apply", async () => {
  const root = await start();
  // The view has a field of the same name for snapshots, which is hidden here.
  const fields = () =>
    root.querySelectorAll<HTMLInputElement>('input[aria-label="Size, MiB, last"]');
  const last = () => [...fields()].find((field) => !field.closest("[hidden]"));
  await vi.waitFor(() => expect(last()?.placeholder).toBe("16"));
  const field = last() as HTMLInputElement;
  field.value = "4";
  field.dispatchEvent(new Event("change", { bubbles: true }));
  await vi.waitFor(() => {
    const events = asked(python, "page").filter((r) => r.params.table === "memory_events");
    expect(events.at(-1)?.params.memory).toMatchObject({ sizes: [0, 4 * MIB] });
  });
  expect(python.model.get("filter")).toEqual({});
});

test("components are chosen where there are any, and have a table of their own", async () => {
  const of = (params: Record<string, unknown>) => {
    const { by = "operator" } = params.memory as { by?: string };
    const peaks = [{ label: "APP", bytes: 2 * MIB, time_us: 7000, capacity: null }];
    return {
      ...ANSWER,
      by,
      kinds: ["operator", "component"],
      ...(by === "component" && { peaks }),
    };
  };
  const root = await start({}, { memory: ({ params }) => ({ result: of(params) }) });
  const section = () => root.querySelector<HTMLElement>(".nbp-pairs");
  await vi.waitFor(() => expect(buttonNamed(root, "Component")).toBeDefined());
  expect(buttonNamed(root, "Operator")?.getAttribute("aria-pressed")).toBe("true");
  expect(tables()).not.toContain("memory_components");
  buttonNamed(root, "Component")?.click();
  expect(python.model.get("memory_by")).toBe("component");
  await vi.waitFor(() => expect(root.textContent).toContain("Peak reserved: APP 2.0 MiB"));
  await vi.waitFor(() => expect(tables()).toContain("memory_components"));
  expect(section()?.hidden).toBe(true);
  buttonNamed(root, "Operator")?.click();
  await vi.waitFor(() => expect(section()?.hidden).toBe(false));
});

test("there is nothing to choose of other recordings", async () => {
  const root = await start({ memory_by: "component" });
  await vi.waitFor(() => expect(root.textContent).toContain("1,234 records"));
  expect(root.querySelector<HTMLElement>('[aria-label="Group by"]')?.hidden).toBe(true);
  expect(tables()).toContain("memory_operators");
  expect(tables()).not.toContain("memory_components");
});

test("without memory records the view says how to record them", async () => {
  const hint = "No memory was recorded. Record it with profile(profile_memory=True).";
  const info = { ...INFO, has: { memory: false }, hints: { memory: hint } };
  const root = await start({}, { trace: () => ({ result: info }) });
  await vi.waitFor(() => expect(root.textContent).toContain("No memory was recorded"));
  expect(root.querySelector(".nbp-body code")?.textContent).toBe("profile(profile_memory=True)");
  expect(asked(python, "memory")).toHaveLength(0);
});

test("a drag is a range, a click clears it, and both ends stay inside", () => {
  const choose = vi.fn();
  const h = maker(new AbortController().signal);
  const brush = new Brush({ h } as never, choose, () => "value");
  const el = document.body.appendChild(brush.el);
  Object.defineProperty(el, "clientWidth", { value: 1100 });
  el.getBoundingClientRect = () => ({ left: 10, width: 1100 }) as DOMRect;
  brush.setPlane(PLANE);
  const pointer = (type: string, clientX: number) =>
    el.dispatchEvent(Object.assign(new Event(type), { button: 0, clientX, pointerId: 1 }));
  pointer("pointerdown", 350);
  pointer("pointermove", 450);
  const tint = el.querySelector<HTMLElement>(".nbp-brushed");
  expect([tint?.hidden, tint?.style.left, tint?.style.width]).toEqual([false, "340px", "100px"]);
  pointer("pointerup", 250);
  expect(choose).toHaveBeenLastCalledWith([200, 300]);
  expect(tint?.hidden).toBe(true); // until the trait says so
  pointer("pointerdown", 350);
  pointer("pointerup", 352);
  expect(choose).toHaveBeenLastCalledWith(null);
  pointer("pointerdown", 850);
  pointer("pointerup", 5000);
  expect(choose).toHaveBeenLastCalledWith([800, 1000]);
  brush.show([-500, 250]);
  expect([tint?.style.left, tint?.style.width]).toEqual(["40px", "250px"]);
  brush.show([2000, 3000]);
  expect(tint?.hidden).toBe(true);
});
