import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  begin,
  CANVAS,
  canvas,
  click,
  drag,
  end,
  minimap,
  point,
  press,
  python,
  ROWS,
  saved,
  settled,
  start,
  wheel,
  window_,
  windowSaved,
  xOf,
} from "./harness";

beforeEach(begin);
afterEach(end);

describe("the window", () => {
  test("keys zoom and move, and the trait follows", async () => {
    await start();
    expect(press("w")).toBe(true);
    const [from, to] = await windowSaved();
    expect(to - from).toBeCloseTo(800, 0);
    press("d");
    await new Promise((done) => setTimeout(done, 200));
    expect(window_()?.[0]).toBeCloseTo(from + 80, 0);
    press("0");
    await vi.waitFor(() => expect(window_()).toBeNull());
  });

  test("a plain wheel is the page's, also with the focus inside", async () => {
    await start();
    canvas().focus();
    expect(wheel({ deltaY: 100 })).toBe(false);
    expect(wheel({ deltaX: 100 })).toBe(false);
    await new Promise((done) => setTimeout(done, 200));
    expect(window_()).toBeNull();
  });

  test.each(["ctrlKey", "metaKey"])("a wheel with %s zooms at the pointer", async (key) => {
    await start();
    expect(wheel({ deltaY: -200, [key]: true, clientX: xOf(250_000), clientY: 40 })).toBe(true);
    const [from, to] = await windowSaved();
    expect(to - from).toBeLessThan(700);
    expect((250 - from) / (to - from)).toBeCloseTo(0.25, 2);
  });

  test("a wheel with Shift moves", async () => {
    await start({ window: [200, 400] });
    expect(wheel({ deltaY: CANVAS / 2, shiftKey: true })).toBe(true);
    await vi.waitFor(() => expect(window_()?.[0]).toBeCloseTo(300, 0));
  });

  test("a drag moves what is under the pointer with it", async () => {
    await start({ window: [200, 400] });
    drag([400, 40], [400 - CANVAS / 4, 40]);
    await vi.waitFor(() => expect(window_()?.[0]).toBeCloseTo(250, 0));
    expect(saved("selection")).toEqual([]);
  });

  test("two fingers zoom, and the moments under them stay", async () => {
    await start();
    const at = (id: number, x: number, type: string) =>
      point(type, x, 40, { pointerId: id, pointerType: "touch" });
    at(1, 300, "pointerdown");
    at(2, 500, "pointerdown");
    at(1, 200, "pointermove");
    at(2, 600, "pointermove");
    at(1, 200, "pointerup");
    at(2, 600, "pointerup");
    const [from, to] = await windowSaved();
    expect(to - from).toBeCloseTo(500, 0);
    const middle = (400 / CANVAS) * 1000;
    expect(from + (400 / CANVAS) * (to - from)).toBeCloseTo(middle, 0);
    expect(saved("selection")).toEqual([]);
  });

  test("the minimap: a drag draws a window, one inside of it moves it, a click centres", async () => {
    await start();
    drag([xOf(400_000), 10], [xOf(600_000), 10], {}, minimap());
    const drawn = await windowSaved();
    expect(drawn[0]).toBeCloseTo(400, 0);
    expect(drawn[1]).toBeCloseTo(600, 0);
    drag([xOf(500_000), 10], [xOf(600_000), 10], {}, minimap());
    await vi.waitFor(() => expect(window_()?.[0]).toBeCloseTo(500, 0));
    point("pointerdown", xOf(200_000), 10, {}, minimap());
    point("pointerup", xOf(200_000), 10, {}, minimap());
    await vi.waitFor(() => expect(window_()?.[0]).toBeCloseTo(100, 0));
    expect(window_()?.[1]).toBeCloseTo(300, 0);
  });

  test("a window of Python shows, and is not written back", async () => {
    await start();
    python.model.receive({ state: { window: [100, 300.5] } });
    await settled();
    await new Promise((done) => setTimeout(done, 250));
    expect(python.saved.filter((state) => "window" in state)).toEqual([]);
    expect(canvas().getAttribute("aria-label")).toContain("0.1000 to 0.3005 ms");
  });

  test("double click zooms to a slice, F to the selection", async () => {
    await start();
    canvas().dispatchEvent(
      new MouseEvent("dblclick", {
        clientX: xOf(350_000),
        clientY: ROWS[3],
        bubbles: true,
      } as never),
    );
    const [from, to] = await windowSaved();
    expect([from < 300, from > 250, to > 450, to < 500]).toEqual([true, true, true, true]);
    press("0");
    click(xOf(700_000), ROWS[0] as number);
    press("f");
    await vi.waitFor(() => expect(window_()?.[0]).toBeCloseTo(450, 0));
  });
});
