/** How often Python is asked: once for what a click changes, and never for what is there already. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ANSWERS } from "../timeline/fake";
import { begin, end, open, python, resized, root } from "../timeline/harness";

const quiet = () => new Promise((done) => setTimeout(done, 250));

/** The operations that something asks for, by name. */
async function asks(act: () => void): Promise<string[]> {
  const before = python.asked.length;
  act();
  await quiet();
  return python.asked
    .slice(before)
    .map(({ op }) => op)
    .sort();
}

beforeEach(async () => {
  begin();
  const overview = { tables: {}, figures: {}, facts: [], missing: {} };
  open(
    { active: "operators", group_by: "name" },
    { ...ANSWERS, overview: () => ({ result: overview }) },
  );
  resized(1000);
  await vi.waitFor(() => expect(python.asked.some(({ op }) => op === "page")).toBe(true));
  await quiet();
});

afterEach(end);

test("a view asks for each of its parts once", () => {
  const ops = python.asked.map(({ op }) => op);
  expect(ops.sort()).toEqual(["catalog", "charts", "page", "trace"]);
});

test("a filter asks for what it changes, once for several changes", async () => {
  const set = (filter: object) => python.model.receive({ state: { filter } });
  const filtered = await asks(() => set({ steps: [1, 2] }));
  expect(filtered).toEqual(["charts", "page"]);
  const both = { filter: { steps: [1, 3] }, time_unit: "ms" };
  expect(await asks(() => python.model.receive({ state: both }))).toEqual(["charts", "page"]);
  expect(await asks(() => set({ steps: [1, 3] }))).toEqual([]);
});

test("what is drawn from what is there asks for nothing", async () => {
  expect(await asks(() => root.querySelector<HTMLElement>("tbody tr")?.click())).toEqual([]);
  expect(await asks(() => python.model.receive({ state: { theme: "dark" } }))).toEqual(["charts"]);
  expect(await asks(() => python.model.receive({ state: { time_unit: "ms" } }))).toEqual([
    "charts",
  ]);
});

test("another tab asks for its own parts only", async () => {
  const tab = (name: string) =>
    [...root.querySelectorAll<HTMLElement>("[role=tab]")].find((one) => one.textContent === name);
  expect(await asks(() => tab("Kernels")?.click())).toEqual(["charts", "page"]);
  expect(await asks(() => tab("Timeline")?.click())).toEqual(["slices", "timeline"]);
  expect(await asks(() => tab("Kernels")?.click())).toEqual([]);
  const state = { group_by: "name", active: "operators" }; // the grouping comes first
  expect(await asks(() => python.model.receive({ state }))).toEqual([]);
});

test("a view that was closed asks for nothing and hears nothing more", async () => {
  const el = document.body.appendChild(document.createElement("div"));
  const filter = (steps: number[]) => () => python.model.receive({ state: { filter: { steps } } });
  let close: (() => void) | undefined;
  await asks(() => {
    close = python.again(el);
    resized(1000);
  });
  expect(await asks(filter([1, 1]))).toEqual(["charts", "charts", "page", "page"]);
  close?.();
  expect(await asks(filter([1, 2]))).toEqual(["charts", "page"]);
  const heard = vi.spyOn(python.model, "get");
  python.close();
  heard.mockClear();
  expect(await asks(filter([1, 3]))).toEqual([]);
  expect(heard).not.toHaveBeenCalled();
});
