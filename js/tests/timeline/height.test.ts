import { expect, test, vi } from "vitest";
import type { Context } from "../../src/core/context";
import { maker } from "../../src/core/dom";
import { HeightGrip } from "../../src/views/timeline/stage/heightgrip";

function grip() {
  const set = vi.fn();
  const { el } = new HeightGrip(
    { h: maker(new AbortController().signal) } as Context,
    () => 400,
    set,
  );
  const point = (type: string, clientY: number) =>
    el.dispatchEvent(new PointerEvent(type, { clientY, pointerId: 1 }));
  const press = (key: string) => el.dispatchEvent(new KeyboardEvent("keydown", { key }));
  return { el, set, point, press };
}

test("the lower edge is dragged", () => {
  const { set, point } = grip();
  point("pointermove", 900);
  expect(set).not.toHaveBeenCalled();
  point("pointerdown", 700);
  point("pointermove", 850);
  expect(set).toHaveBeenLastCalledWith(550);
  point("pointerup", 850);
  point("pointermove", 900);
  expect(set).toHaveBeenCalledOnce();
});

test("keys move it, and Home gives the usual height", () => {
  const { set, press, el } = grip();
  press("ArrowDown");
  press("ArrowUp");
  press("Home");
  expect(set.mock.calls.flat()).toEqual([438, 362, null]);
  expect(el.getAttribute("role")).toBe("separator");
});
