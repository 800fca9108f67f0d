/** Keys that are pressed faster than Python answers. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { KeyQueue } from "../../src/views/timeline/stage/keys/keyqueue";
import { asked } from "../fixtures";
import {
  begin,
  canvas,
  click,
  end,
  press,
  python,
  ROWS,
  root,
  saved,
  settled,
  start,
  windowSaved,
  xOf,
} from "./harness";

describe("queue", () => {
  test("keys wait for what they need, and those after them for them", () => {
    const keys = new KeyQueue();
    const done: string[] = [];
    let ready = false;
    keys.press(
      () => done.push("l"),
      () => ready,
    );
    keys.press(
      () => done.push("w"),
      () => true,
    );
    expect(done).toEqual([]);
    ready = true;
    keys.take();
    expect(done).toEqual(["l", "w"]);
  });

  test("an action that changes something itself runs once", () => {
    const keys = new KeyQueue();
    const act = vi.fn(() => keys.take());
    keys.press(act, () => true);
    expect(act).toHaveBeenCalledOnce();
  });

  test("keys that are dropped do nothing", () => {
    const keys = new KeyQueue();
    const act = vi.fn();
    keys.press(act, () => false);
    keys.clear();
    keys.press(act, () => true);
    expect(act).toHaveBeenCalledOnce();
  });
});

describe("typed fast", () => {
  beforeEach(begin);
  afterEach(end);

  test("a link is followed once the details have come, and then the window moves", async () => {
    await start();
    click(xOf(255_000), ROWS[1] as number);
    for (const key of ["k", "w", "w"]) press(key);
    expect(saved("selection")).toEqual([{ side: "host", row: 2 }]);
    await vi.waitFor(() => expect(saved("selection")).toEqual([{ side: "device", row: 0 }]));
    const [from, to] = await windowSaved();
    expect(to - from).toBeLessThan(1000 / 1.25 / 1.2);
  });

  test("every match that is asked for is gone to", async () => {
    await start({ search: "aten" });
    const before = asked(python, "find").length;
    for (const key of ["n", "n", "n"]) press(key);
    await vi.waitFor(() => expect(asked(python, "find")).toHaveLength(before + 3));
    const from = asked(python, "find").map(({ params }) => params.from);
    expect(new Set(from.slice(before)).size).toBe(3);
    await settled();
  });

  test("Escape drops what waits", async () => {
    await start();
    click(xOf(255_000), ROWS[1] as number);
    for (const key of ["k", "Escape"]) press(key);
    await settled();
    expect(saved("selection")).toEqual([]);
  });

  test("keys act wherever the focus is in the timeline, but not where one types", async () => {
    await start();
    const fit = root.querySelector<HTMLElement>(".nbp-tl-toolbar .nbp-button") as HTMLElement;
    expect(press("w", {}, fit)).toBe(true);
    expect(press("ArrowRight", {}, fit)).toBe(false);
    expect(press("w", {}, root.querySelector(".nbp-tl-toolbar input") as HTMLElement)).toBe(false);
  });

  test("the lanes take the focus from what is gone", async () => {
    await start();
    const inside = root.querySelector(".nbp-tl")?.appendChild(document.createElement("button"));
    inside?.focus();
    inside?.remove();
    press("w");
    await settled();
    const { activeElement } = canvas().getRootNode() as ShadowRoot;
    expect(activeElement).toBe(canvas());
  });
});
