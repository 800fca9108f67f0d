import { expect, test, vi } from "vitest";
import type { Context } from "../../../src/core/context";
import { maker } from "../../../src/core/dom";
import { HeightGrip } from "../../../src/views/timeline/stage/heightgrip";

function grip() {
  const set = vi.fn();
  const keep = vi.fn();
  const { el } = new HeightGrip(
    { h: maker(new AbortController().signal) } as Context,
    () => 400,
    set,
    keep,
  );
  const point = (type: string, clientY: number) =>
    el.dispatchEvent(new PointerEvent(type, { clientY, pointerId: 1 }));
  const press = (key: string) => el.dispatchEvent(new KeyboardEvent("keydown", { key }));
  return { el, set, keep, point, press };
}

test("the lower edge is dragged", () => {
  const { set, keep, point } = grip();
  point("pointermove", 900);
  expect(set).not.toHaveBeenCalled();
  point("pointerdown", 700);
  point("pointermove", 850);
  expect(set).toHaveBeenLastCalledWith(550);
  expect(keep).not.toHaveBeenCalled();
  point("pointerup", 850);
  expect(keep).toHaveBeenCalledOnce();
  point("pointermove", 900);
  expect(set).toHaveBeenCalledOnce();
});

test("keys move it, and Home gives the usual height", () => {
  const { set, keep, press, el } = grip();
  press("ArrowDown");
  press("ArrowUp");
  press("Home");
  expect(set.mock.calls.flat()).toEqual([438, 362, null]);
  expect(keep).toHaveBeenCalledTimes(3);
  expect(el.getAttribute("role")).toBe("separator");
});
