import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Context } from "../../src/core/context";
import { maker } from "../../src/core/dom";
import { Loader } from "../../src/core/loader";

const life = new AbortController();

interface Part {
  loader: Loader;
  shown: string[];
  asked: string[];
}

function part(): Part {
  const h = maker(life.signal);
  const ctx = {
    h,
    id: "nbp1",
    signal: life.signal,
    progress: { begin: () => {}, end: () => {}, at: () => {} },
    session: { router: { connected: true } },
    announce: () => {},
  } as unknown as Context;
  return { loader: new Loader(ctx, "rows", "the rows", h("div")), shown: [], asked: [] };
}

function want({ loader, shown, asked }: Part, key: string): void {
  loader.need(
    key,
    "",
    async (query) => {
      asked.push(query);
      return query;
    },
    (result) => shown.push(result),
  );
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a part of the screen", () => {
  it("asks at once for what it shows first", async () => {
    const rows = part();
    want(rows, "all");
    await vi.advanceTimersByTimeAsync(0);
    expect(rows.shown).toEqual(["all"]);
  });

  it("asks once for a burst of changes, for the last of them", async () => {
    const rows = part();
    want(rows, "all");
    await vi.advanceTimersByTimeAsync(0);
    for (let change = 1; change <= 30; change += 1) {
      want(rows, `change ${change}`);
      await vi.advanceTimersByTimeAsync(20);
    }
    expect(rows.asked).toEqual(["all"]);
    await vi.advanceTimersByTimeAsync(100);
    expect(rows.asked).toEqual(["all", "change 30"]);
    expect(rows.shown).toEqual(["all", "change 30"]);
  });

  it("asks for every change of who takes their time", async () => {
    const rows = part();
    for (const key of ["all", "a", "b"]) {
      want(rows, key);
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(rows.shown).toEqual(["all", "a", "b"]);
  });

  it("keeps old results as they are until an answer is late", async () => {
    const rows = part();
    want(rows, "all");
    await vi.advanceTimersByTimeAsync(0);
    const { el } = rows.loader;
    const content = el.lastElementChild;
    rows.loader.need(
      "slow",
      "",
      () => new Promise(() => {}),
      () => {},
    );
    await vi.advanceTimersByTimeAsync(290);
    expect([content?.className, el.getAttribute("aria-busy")]).toEqual(["", null]);
    await vi.advanceTimersByTimeAsync(20);
    expect([content?.className, el.getAttribute("aria-busy")]).toEqual(["nbp-stale", "true"]);
  });
});
