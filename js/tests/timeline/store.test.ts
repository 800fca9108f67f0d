import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  LevelStore,
  type Question,
  questionFor,
  type Wish,
} from "../../src/views/timeline/data/store";
import type { Level } from "../../src/views/timeline/state/types";
import { levelOf } from "./drawing/fake";

const WISH: Wish = {
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
let asked: Question[];
let answer: ((level: Level) => void)[];
let refuse: ((error: Error) => void)[];
let changed: number;
let store: LevelStore;

beforeEach(() => {
  vi.useFakeTimers();
  stop = new AbortController();
  [asked, answer, refuse, changed] = [[], [], [], 0];
  store = new LevelStore(
    (question) => {
      asked.push(question);
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
const level = (question: Question | undefined) =>
  levelOf([[]], { start_ns: question?.start_ns ?? 0, end_ns: question?.end_ns ?? 0 });

/** Answer the last question. */
async function reply(): Promise<Level> {
  const made = level(asked.at(-1));
  answer.at(-1)?.(made);
  await later();
  return made;
}

const moved = (start_ns: number, end_ns: number): Wish => ({ ...WISH, view: { start_ns, end_ns } });

test("a question has half a screen at each side, and as many columns a pixel as the screen", () => {
  expect(questionFor(WISH)).toEqual({
    start_ns: 350_000,
    end_ns: 550_000,
    width: 2000,
    rows: [[0, 30]],
    tracks: ["a", "b"],
  });
  const edge = questionFor(moved(0, 100_000));
  expect([edge.start_ns, edge.end_ns, edge.width]).toEqual([0, 150_000, 1500]);
  const fractions = questionFor(moved(10.25, 30.75));
  expect(Object.values(fractions).slice(0, 2)).toEqual([0, 41]);
});

test("what the margins hold is not asked for", async () => {
  store.need(WISH);
  await reply();
  store.need(moved(440_000, 540_000));
  store.need(moved(350_000, 450_000));
  store.need({ ...WISH, rows: [[5, 30]], nearRows: [[0, 50]] });
  await later();
  expect(asked).toHaveLength(1);
});

test.each([
  ["the view leaves the margins", moved(480_000, 580_000)],
  ["a finer bin is due", moved(440_000, 480_000)],
  ["rows come into sight", { ...WISH, rows: [[25, 40]], nearRows: [[0, 60]] }],
  ["a track comes into sight", { ...WISH, tracks: ["c"] }],
  ["the search is another", { ...WISH, marks: "conv" }],
] as [string, Wish][])("Python is asked when %s", async (_, wish) => {
  store.need(WISH);
  await reply();
  store.need(wish);
  await later();
  expect(asked).toHaveLength(2);
});

test("one question at a time; its answer is drawn even where the screen has gone on", async () => {
  store.need(WISH);
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

test("there is a rest between questions", async () => {
  store.need(WISH);
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

test("levels of another trace or grouping are dropped at once, also those under way", async () => {
  store.need(WISH);
  await reply();
  store.need(moved(0, 100_000));
  await later();
  store.need({ ...WISH, scope: "trace module" });
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
  store.need(WISH);
  const first = await reply();
  expect(store.levels).toEqual([outline, first]);
  store.need({ ...WISH, scope: "other" });
  expect(store.levels).toEqual([]);
});

test("what was refused is not asked again and again, but another thing is, or on demand", async () => {
  store.need(WISH);
  refuse[0]?.(new Error("no"));
  await later();
  store.need(WISH);
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
  store.need(WISH);
  store.need(moved(0, 1000));
  store.pause();
  await reply();
  expect(asked).toHaveLength(1);
  store.need(moved(0, 1000));
  expect(asked).toHaveLength(2);
});
