import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type FakePython, NAMES, show } from "../../fixtures";

vi.stubGlobal(
  "ResizeObserver",
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
);
const { default: widget } = await import("../../../src/index");

let python: FakePython;
const rows = () => [...python.root.querySelectorAll<HTMLElement>("tr[aria-selected]")];
const button = () =>
  [...python.root.querySelectorAll("button")].find((b) => b.textContent === "Show in timeline");
const saved = () => Object.assign({}, ...python.saved);

async function start(views: string[]) {
  python = show(widget, { views, window: [5, 6], search: "" });
  await vi.waitFor(() => expect(rows()).toHaveLength(3));
}

beforeEach(() => document.body.replaceChildren());
afterEach(() => python.close());

const SHOWN = {
  active: "timeline",
  group_by: "thread",
  selection: [],
  search: "/^aten::conv2d$/",
  window: null,
};

test("a selected row is shown in the timeline by a button", async () => {
  await start(["operators", "timeline"]);
  await vi.waitFor(() => expect(button()?.closest("[hidden]")).toBeTruthy());
  rows()[0]?.click();
  expect(python.model.get("selection")).toEqual([{ name: NAMES[0] }]);
  await vi.waitFor(() => expect(button()?.closest("[hidden]")).toBeNull());
  button()?.click();
  expect(saved()).toMatchObject(SHOWN);
  // In one message, so that Python never sees half of it.
  expect(python.saved.at(-1)).toMatchObject({ active: "timeline", search: SHOWN.search });
});

test("the key T on a row does the same, whatever was selected", async () => {
  await start(["operators", "timeline"]);
  expect(python.root.textContent).toContain("T show in timeline");
  const key = new KeyboardEvent("keydown", { key: "t", bubbles: true });
  rows()[0]?.dispatchEvent(key);
  expect(saved()).toMatchObject(SHOWN);
});

test("there is nothing of it without a timeline", async () => {
  await start(["operators"]);
  rows()[0]?.click();
  const bar = () => python.root.querySelector<HTMLElement>(".nbp-selection");
  await vi.waitFor(() => expect(bar()?.hidden).toBe(false));
  expect(button()?.hidden).toBe(true);
  expect(python.root.textContent).not.toContain("show in timeline");
  rows()[0]?.dispatchEvent(new KeyboardEvent("keydown", { key: "t", bubbles: true }));
  expect(python.model.get("active")).toBe("operators");
});
