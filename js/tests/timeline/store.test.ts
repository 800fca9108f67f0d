import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  type LevelRequest,
  LevelStore,
  requestFor,
  type Viewport,
} from "../../src/views/timeline/data/store";
import type { Level } from "../../src/views/timeline/state/types";
import { levelOf } from "./drawing/fake";

const VIEWPORT: Viewport = {
  scope: "trace thread",
  marks: "",
  view: { start_ns: 400_000, end_ns: 500_000 },
  trace: { start_ns: 0, end_ns: 1_000_000 },
  width: 1000,
  rows: [[0, 10]],
  nearRows: [[0, 30]],
  tracks: ["a"],
  nearTracks: ["a", "b"],
};

let stop: AbortController;
let asked: LevelRequest[];
let answer: ((level: Level) => void)[];
let refuse: ((error: Error) => void)[];
let changed: number;
let store: LevelStore;

beforeEach(() => {
  vi.useFakeTimers();
  stop = new AbortController();
  [asked, answer, refuse, changed] = [[], [], [], 0];
  store = new LevelStore(
    (request) => {
      asked.push(request);
      return new Promise((resolve, reject) => {
        answer.push(resolve);
        refuse.push(reject);
      });
    },
    () => {
      changed += 1;
    },
    stop.signal,
  );
});
afterEach(() => {
  stop.abort();
  vi.useRealTimers();
});

const later = () => vi.advanceTimersByTimeAsync(100);
const level = (request: LevelRequest | undefined) =>
  levelOf([[]], { start_ns: request?.start_ns ?? 0, end_ns: request?.end_ns ?? 0 });

/** Answer the last request. */
async function reply(): Promise<Level> {
  const made = level(asked.at(-1));
  answer.at(-1)?.(made);
  await later();
  return made;
}

const moved = (start_ns: number, end_ns: number): Viewport => ({
  ...VIEWPORT,
  view: { start_ns, end_ns },
});

test("a request has half a screen at each side, and as many columns a pixel as the screen", () => {
  expect(requestFor(VIEWPORT)).toEqual({
    start_ns: 350_000,
    end_ns: 550_000,
    width: 2000,
    rows: [[0, 30]],
    tracks: ["a", "b"],
  });
  const edge = requestFor(moved(0, 100_000));
  expect([edge.start_ns, edge.end_ns, edge.width]).toEqual([0, 150_000, 1500]);
  const fractions = requestFor(moved(10.25, 30.75));
  expect(Object.values(fractions).slice(0, 2)).toEqual([0, 41]);
});

test("what the margins hold is not asked for", async () => {
  store.need(VIEWPORT);
  await reply();
  store.need(moved(440_000, 540_000));
  store.need(moved(350_000, 450_000));
  store.need({ ...VIEWPORT, rows: [[5, 30]], nearRows: [[0, 50]] });
  await later();
  expect(asked).toHaveLength(1);
});

test.each([
  ["the view leaves the margins", moved(480_000, 580_000)],
  ["a finer bin is due", moved(440_000, 480_000)],
  ["rows come into sight", { ...VIEWPORT, rows: [[25, 40]], nearRows: [[0, 60]] }],
  ["a track comes into sight", { ...VIEWPORT, tracks: ["c"] }],
  ["the search is another", { ...VIEWPORT, marks: "conv" }],
] as [string, Viewport][])("Python is asked when %s", async (_, viewport) => {
  store.need(VIEWPORT);
  await reply();
  store.need(viewport);
  await later();
  expect(asked).toHaveLength(2);
});

test("one request at a time; its answer is drawn even where the screen has gone on", async () => {
  store.need(VIEWPORT);
  for (let at = 0; at < 20; at += 1) store.need(moved(500_000 + at * 1000, 600_000 + at * 1000));
  await later();
  expect(asked).toHaveLength(1);
  const first = await reply();
  expect(store.levels).toEqual([first]);
  expect(store.current).toBeNull();
  expect(asked).toHaveLength(2);
  expect(asked[1]?.start_ns).toBe(469_000);
  const second = await reply();
  expect(store.levels).toEqual([first, second]);
  expect(store.current).toBe(second);
  expect(changed).toBe(2);
});

test("there is a pause between requests", async () => {
  store.need(VIEWPORT);
  answer[0]?.(level(asked[0]));
  await vi.advanceTimersByTimeAsync(0);
  store.need(moved(0, 100_000));
  expect(asked).toHaveLength(1);
  await later();
  expect(asked).toHaveLength(2);
});

test("the whole trace stays below what comes later", async () => {
  store.need(moved(0, 1_000_000));
  const whole = await reply();
  const more: Level[] = [];
  for (const start of [100_000, 500_000, 800_000]) {
    store.need(moved(start, start + 10_000));
    more.push(await reply());
  }
  expect(store.levels).toEqual([whole, more[1], more[2]]);
});

test("the last reply lies on top, also where it is that of the whole trace", async () => {
  store.need(moved(0, 1_000_000));
  const whole = await reply();
  store.need({ ...moved(0, 1_000_000), marks: "conv" });
  const marked = await reply();
  expect(store.levels.map((level) => level === marked)).toEqual([false, true]);
  expect(store.levels[0]).toBe(whole);
});

test("levels of another trace or grouping are dropped at once, also those under way", async () => {
  store.need(VIEWPORT);
  await reply();
  store.need(moved(0, 100_000));
  await later();
  store.need({ ...VIEWPORT, scope: "trace module" });
  expect(store.levels).toEqual([]);
  answer.at(-1)?.(level(asked.at(-1)));
  await later();
  expect(store.levels).toEqual([]);
  expect(asked).toHaveLength(3);
  await reply();
  expect(store.levels).toHaveLength(1);
});

test("the saved state lies below, where it is of the same trace and grouping", async () => {
  const outline = levelOf([[]]);
  store.setOutline(outline, "trace thread");
  expect(store.levels).toEqual([outline]);
  store.need(VIEWPORT);
  const first = await reply();
  expect(store.levels).toEqual([outline, first]);
  store.need({ ...VIEWPORT, scope: "other" });
  expect(store.levels).toEqual([]);
});

test("what was refused is not asked again and again, but another thing is, or on demand", async () => {
  store.need(VIEWPORT);
  refuse[0]?.(new Error("no"));
  await later();
  store.need(VIEWPORT);
  await later();
  expect(asked).toHaveLength(1);
  expect(store.error?.message).toBe("no");
  store.retry();
  expect(asked).toHaveLength(2);
  expect(store.error).toBeNull();
  refuse[1]?.(new Error("no"));
  await later();
  store.need(moved(0, 1000));
  expect(asked).toHaveLength(3);
  await reply();
  expect(store.error).toBeNull();
});

test("while paused nothing is asked, and what is needed then is asked", async () => {
  store.need(VIEWPORT);
  store.need(moved(0, 1000));
  store.pause();
  await reply();
  expect(asked).toHaveLength(1);
  store.need(moved(0, 1000));
  expect(asked).toHaveLength(2);
});
