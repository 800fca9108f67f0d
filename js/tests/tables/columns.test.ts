/** Columns of tables: their widths by keys and pointer, the way of the Tab key, shares. */
import { afterEach, expect, test, vi } from "vitest";
import widget from "../../src/index";
import { allowed } from "../../src/table/grid/columnwidths";
import { arrow, asked, type FakePython, NAMES, operators, show } from "../fixtures";

let python: FakePython;
afterEach(() => python.close());

const head = (key: string) =>
  python.root.querySelector<HTMLElement>(`th[data-key=${key}] button`) as HTMLElement;
const widths = () =>
  [...python.root.querySelectorAll<HTMLElement>(".nbp-grid col")].map(({ style }) => style.width);

function press(key: string, on: string, shiftKey = false): void {
  head(on).dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true }));
}

async function start(): Promise<void> {
  python = show(widget);
  await vi.waitFor(() => expect(python.root.querySelectorAll("tr[data-line]")).toHaveLength(3));
}

test("keys change the width of a column, and a menu entry gives all widths back", async () => {
  await start();
  const before = widths();
  press("ArrowRight", "calls", true);
  // Without layout a header is 0 px wide, so that a step leads to the least width.
  await vi.waitFor(() => expect(widths()[1]).toBe("36px"));
  press("Enter", "calls", true);
  await vi.waitFor(() => expect(Number.parseInt(widths()[1] ?? "", 10)).toBeGreaterThan(40));
  press("Enter", "name", true);
  const fits = NAMES.map((name) => name.length * 6);
  await vi.waitFor(() =>
    expect(Number.parseInt(widths()[0] ?? "", 10)).toBeGreaterThan(Math.max(...fits)),
  );
  const buttons = () => [...python.root.querySelectorAll("button")];
  buttons()
    .find(({ textContent }) => textContent === "Columns ▾")
    ?.click();
  buttons()
    .find(({ textContent }) => textContent === "Reset widths")
    ?.click();
  await vi.waitFor(() => expect(widths()).toEqual(before));
  const sent = python.saved.map(({ column_widths }) => column_widths).filter(Boolean);
  expect(sent[0]).toEqual({ operators: { calls: 36 } });
  expect(sent.at(-1)).toEqual({ operators: {} });
});

test("an edge that is dragged changes the width, and another view of the model has it, too", async () => {
  await start();
  const edge = python.root.querySelector("th[data-key=calls] .nbp-grip") as HTMLElement;
  const at = (type: string, clientX: number) =>
    edge.dispatchEvent(new PointerEvent(type, { clientX, bubbles: true, button: 0, pointerId: 1 }));
  at("pointerdown", 100);
  at("pointermove", 250);
  expect(widths()[1]).toBe("150px"); // at once
  at("pointerup", 250);
  await vi.waitFor(() => expect(widths()[1]).toBe("150px"));
  at("pointermove", 300);
  expect(widths()[1]).toBe("150px");
  const other = document.body.appendChild(document.createElement("div"));
  python.again(other);
  await vi.waitFor(() =>
    expect(other.shadowRoot?.querySelectorAll<HTMLElement>("col")[1]?.style.width).toBe("150px"),
  );
});

test("Tab reaches one header and one row, and arrows move between headers", async () => {
  await start();
  const stops = () =>
    [...python.root.querySelectorAll<HTMLElement>(".nbp-grid [tabindex], .nbp-grid button")].filter(
      ({ tabIndex }) => tabIndex === 0,
    );
  expect(stops().map(({ tagName }) => tagName)).toEqual(["BUTTON", "TR"]);
  expect(stops()[0]).toBe(head("device_self_us"));
  const active = () => python.view.shadowRoot?.activeElement;
  head("device_self_us").focus();
  press("ArrowLeft", "device_self_us");
  expect(active()).toBe(head("calls"));
  press("Home", "calls");
  expect(active()).toBe(head("name"));
  expect(stops()[0]).toBe(head("name"));
  press("ArrowDown", "name");
  expect(active()?.tagName).toBe("TR");
  (active() as HTMLElement).blur();
});

test("a switch asks for the shares of the filter and of all", async () => {
  const rows = () =>
    arrow({
      name: ["text", ["a"]],
      calls: ["count", [1]],
      device_self_us: ["time", [10]],
      device_self_of_filter_pct: ["pct", [50]],
      device_self_of_all_pct: ["pct", [12.5]],
    });
  const result = { total: 1, calls: 1, all: 1, slots: [0], maxima: {}, hidden: [] };
  const shares = ["device_self_us"];
  python = show(
    widget,
    {},
    {
      page: ({ params }) =>
        params.shares
          ? { result: { ...result, shares }, buffers: [rows()] }
          : { result: { ...result, shares }, buffers: [operators(["a"])] },
    },
  );
  await vi.waitFor(() => expect(python.root.querySelectorAll("tr[data-line]")).toHaveLength(1));
  const buttons = [...python.root.querySelectorAll("button")];
  buttons.find(({ textContent }) => textContent === "Columns ▾")?.click();
  const labels = [...python.root.querySelectorAll("label")];
  const box = labels.find(({ textContent }) =>
    textContent?.includes("Shares of filter and of all"),
  );
  box?.querySelector("input")?.click();
  await vi.waitFor(() => expect(asked(python, "page").at(-1)?.params.shares).toBe(true));
  await vi.waitFor(() => expect(python.root.querySelector("tbody")?.textContent).toContain("12.5"));
  const groups = [...python.root.querySelectorAll("th[scope=colgroup]")];
  expect(groups.map(({ textContent }) => textContent)).toContain("Device self share");
});

test.each([
  [10, 36],
  [80.4, 80],
  [1e6, 2000],
])("a width of %d px becomes %d px", (wish, width) => expect(allowed(wish)).toBe(width));
