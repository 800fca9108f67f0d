/** New files: when Python is asked for them, the button that appears, and what a refresh keeps. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import widget from "../../src/index";
import { type Answers, asked, CATALOG, type FakePython, show } from "../fixtures";

const NONE = { checked: true, new: 0, changed: 0, gone: 0, settling: 0, words: "" };

let python: FakePython;
let found: Record<string, unknown>;
let sight: string;

beforeEach(() => {
  vi.useFakeTimers();
  document.body.replaceChildren();
  found = NONE;
  sight = "visible";
  vi.spyOn(document, "visibilityState", "get").mockImplementation(() => sight as never);
});
afterEach(() => {
  python.close();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
const checks = () => asked(python, "changes").length;
const news = () => python.root.querySelector<HTMLButtonElement>(".nbp-news");
function look(visible: boolean): void {
  sight = visible ? "visible" : "hidden";
  document.dispatchEvent(new Event("visibilitychange"));
}

async function start(answers: Answers = {}, traits = {}): Promise<void> {
  python = show(widget, traits, { changes: () => ({ result: found }), ...answers });
  await seconds(1);
  expect(asked(python, "trace")).toHaveLength(1);
}

test("Python is asked every 30 s while the page is visible, and when it becomes visible", async () => {
  await start();
  expect(news()?.hidden).toBe(true);
  await seconds(28);
  expect(checks()).toBe(0);
  await seconds(2);
  expect(checks()).toBe(1);
  look(true);
  await seconds(1);
  expect(checks()).toBe(1);
  look(false);
  await seconds(300);
  expect(checks()).toBe(1);
  look(true);
  await seconds(1);
  expect(checks()).toBe(2);
  python.again(document.body.appendChild(document.createElement("div")));
  await seconds(30);
  expect(checks()).toBe(3);
  python.close();
  await seconds(300);
  expect(checks()).toBe(3);
});

test("a file that may still be written is looked at once more, and not over and over", async () => {
  found = { ...NONE, settling: 1 };
  await start();
  await seconds(30);
  expect(checks()).toBe(2 - 1);
  await seconds(5);
  expect(checks()).toBe(2);
  await seconds(20);
  expect(checks()).toBe(2);
  expect(news()?.hidden).toBe(true);
});

test("the button says what a refresh brings", async () => {
  const words = "2 new, 1 changed file";
  found = { ...NONE, new: 2, changed: 1, words };
  await start();
  await seconds(30);
  expect(news()?.hidden).toBe(false);
  expect(news()?.textContent).toBe(`Refresh · ${words}`);
});

test("the button refreshes catalog, trace and tables, and keeps filter, view and selection", async () => {
  const runs = [...CATALOG.runs, { run: "fresh", workers: CATALOG.runs[0]?.workers ?? [] }];
  let now = CATALOG;
  const refresh = () => {
    now = { ...CATALOG, runs };
    return { result: now };
  };
  const kept = { filter: { steps: [5, 6] }, active: "operators", selection: [{ name: "a" }] };
  await start({ refresh, catalog: () => ({ result: now }) }, kept);
  found = { ...NONE, new: 1, words: "1 new file" };
  await seconds(30);
  const pages = asked(python, "page").length;
  news()?.click();
  found = NONE;
  await seconds(1);
  expect(news()?.hidden).toBe(true);
  expect(python.root.textContent).toContain("fresh");
  expect(asked(python, "trace")).toHaveLength(2);
  expect(asked(python, "page").length).toBeGreaterThan(pages);
  for (const [name, value] of Object.entries(kept)) expect(python.model.get(name)).toEqual(value);
  expect(asked(python, "refresh")).toHaveLength(1);
  expect(asked(python, "catalog")).toHaveLength(1);
});

test("a refresh in Python asks for catalog and trace again", async () => {
  let now = CATALOG;
  await start({ catalog: () => ({ result: now }) });
  now = { ...CATALOG, runs: CATALOG.runs.map((run) => ({ ...run, run: `${run.run}2` })) };
  python.model.receive({ content: { v: 1, id: null, op: "refresh", ok: true } });
  await seconds(1);
  expect(asked(python, "catalog")).toHaveLength(2);
  expect(asked(python, "trace")).toHaveLength(2);
  expect(python.root.textContent).toContain("resnet502");
});

test.each([
  ["that does not check", { result: { ...NONE, checked: false } }],
  ["that has failed", { error: { type: "OSError", message: "", hint: "", details: "" } }],
])("a Python %s is asked again only after a refresh", async (_, answer) => {
  await start({ changes: () => answer });
  await seconds(300);
  expect(checks()).toBe(1);
  python.model.receive({ content: { v: 1, id: null, op: "refresh", ok: true } });
  await seconds(31);
  expect(checks()).toBe(2);
});

test("a kernel that is busy for an hour is asked once, and is not taken for lost", async () => {
  let silent = false;
  await start({ changes: () => (silent ? (undefined as never) : { result: found }) });
  silent = true;
  await seconds(3600);
  expect(checks()).toBe(1);
  expect(python.root.textContent).not.toContain("Disconnected");
});

test("without a kernel nothing is asked", async () => {
  await start();
  python.model.disconnect();
  await seconds(300);
  expect(checks()).toBe(0);
});
