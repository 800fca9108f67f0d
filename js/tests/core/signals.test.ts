import { expect, test, vi } from "vitest";
import { sameValue } from "../../src/core/state/equality";
import { derived, signal, watch } from "../../src/core/state/signals";

const moment = () => new Promise((done) => setTimeout(done));

test("what is watched runs once for all changes of one moment", async () => {
  const [steps, name] = [signal(1), signal("")];
  const seen: string[] = [];
  watch(() => seen.push(`${name.value} ${steps.value}`), new AbortController().signal);
  steps.value = 2;
  name.value = "conv";
  expect(seen).toEqual([" 1"]);
  await moment();
  expect(seen).toEqual([" 1", "conv 2"]);
});

test("it follows only what it read last", async () => {
  const [open, inside] = [signal(true), signal(1)];
  const run = vi.fn(() => open.value && inside.value);
  watch(run, new AbortController().signal);
  open.value = false;
  await moment();
  inside.value = 2;
  await moment();
  expect(run).toHaveBeenCalledTimes(2);
});

test("what is derived wakes nobody while its content stays", async () => {
  const trait = signal<object>({ steps: [1, 2] });
  const query = derived(() => ({ filter: trait.value }));
  const run = vi.fn(() => query.value);
  watch(run, new AbortController().signal);
  trait.value = { steps: [1, 2] };
  await moment();
  expect(run).toHaveBeenCalledTimes(1);
  trait.value = { steps: [1, 3] };
  await moment();
  expect(run).toHaveLastReturnedWith({ filter: { steps: [1, 3] } });
});

test("what has ended follows nothing, and leaves nothing behind", async () => {
  const life = new AbortController();
  const unwatched = vi.fn();
  const trait = signal(1, { unwatched });
  const run = vi.fn(() => trait.value);
  watch(run, life.signal);
  trait.value = 2;
  life.abort(); // while it waits for its turn
  await moment();
  trait.value = 3;
  await moment();
  expect(run).toHaveBeenCalledTimes(1);
  expect(unwatched).toHaveBeenCalled();
});

test("an error is reported, and what comes next is drawn all the same", async () => {
  const trait = signal(1);
  const failed = vi.fn();
  const report = vi.spyOn(globalThis, "queueMicrotask").mockImplementation((run) => {
    void Promise.resolve().then(run).catch(failed);
  });
  const run = vi.fn(() => {
    if (trait.value === 1) throw new Error("no");
  });
  watch(run, new AbortController().signal);
  trait.value = 2;
  await moment();
  report.mockRestore();
  expect(failed).toHaveBeenCalledOnce();
  expect(run).toHaveBeenCalledTimes(2);
});

test.each([
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1 }, { a: 1, b: null }, false],
  [[1, 2], [1, 2, 3], false],
  [null, {}, false],
  [Number.NaN, Number.NaN, true],
  [new DataView(new ArrayBuffer(1)), new DataView(new ArrayBuffer(1)), false],
])("%j and %j mean the same: %s", (a, b, same) => {
  expect(sameValue(a, b)).toBe(same);
  expect(sameValue(b, a)).toBe(same);
});
