/** The widget with a timeline, the small trace of `timeline-fake` behind it, and hands to use it. */
import { expect, vi } from "vitest";
import { resized } from "../fakewidth";
import { type Answers, asked, type FakePython, show } from "../fixtures";
import { ANSWERS, LAYOUT } from "./fake";

export const WIDTH = 1000;
/** Left of the canvas: padding and the border of the frame are no part of the canvas. */
const GUTTER = 176;
export const CANVAS = WIDTH - 32 - 2 - 2 - GUTTER;

export { resized };
export const { default: widget } = await import("../../src/index");

export const TRAITS = {
  active: "timeline",
  group_by: "thread",
  views: ["overview", "operators", "kernels", "timeline"],
  window: null,
  search: "",
  snapshot: null,
};

export let python: FakePython;
export let root: HTMLElement;

export async function start(traits = {}, answers: Answers = {}): Promise<void> {
  python = show(widget, { ...TRAITS, ...traits }, { ...ANSWERS, ...answers });
  root = python.root;
  resized(WIDTH);
  await vi.waitFor(() => expect(asked(python, "slices")).not.toHaveLength(0));
  await settled();
}

/** Until every answer is there and drawn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) await new Promise((done) => setTimeout(done, 5));
  await vi.waitFor(() => expect(root.querySelector(".nbp-tl-frame[aria-busy]")).toBeNull());
}

export const canvas = () =>
  root.querySelector<HTMLCanvasElement>(".nbp-tl-lanes canvas") as HTMLElement;
export const minimap = () => root.querySelector(".nbp-tl-minimap canvas") as HTMLElement;
export const ruler = () => root.querySelector(".nbp-tl-ruler canvas") as HTMLElement;
export const saved = <T>(name: string): T => python.model.get(name) as T;
export const text = () => root.querySelector(".nbp-tl")?.textContent ?? "";
export const xOf = (ns: number) => (ns / LAYOUT.end_ns) * CANVAS;
/** In the middle of rows 0, 1, 2 and 3. */
export const ROWS = [32, 49, 72, 123];

export const live = () => root.querySelector("[role=status].nbp-hidden-text")?.textContent ?? "";

export function press(
  key: string,
  more: KeyboardEventInit = {},
  target: Element = canvas(),
): boolean {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  target.dispatchEvent(event);
  return event.defaultPrevented;
}

export function point(
  type: string,
  x: number,
  y: number,
  more: PointerEventInit = {},
  el = canvas(),
) {
  const at = { clientX: x, clientY: y, button: 0, pointerId: 1 };
  el.dispatchEvent(new PointerEvent(type, { ...at, bubbles: true, cancelable: true, ...more }));
}

export function click(x: number, y: number): void {
  point("pointerdown", x, y);
  point("pointerup", x, y);
}

export function drag(
  from: [number, number],
  to: [number, number],
  more: PointerEventInit = {},
  el = canvas(),
) {
  point("pointerdown", ...from, more, el);
  point("pointermove", (from[0] + to[0]) / 2, (from[1] + to[1]) / 2, more, el);
  point("pointermove", ...to, more, el);
  point("pointerup", ...to, more, el);
}

export function wheel(more: WheelEventInit & MouseEventInit, el = canvas()): boolean {
  const event = new WheelEvent("wheel", { bubbles: true, cancelable: true, ...more });
  // happy-dom leaves these out of its wheel events.
  for (const [name, value] of Object.entries(more))
    if ((event as never)[name] !== value) Object.defineProperty(event, name, { value });
  el.dispatchEvent(event);
  return event.defaultPrevented;
}

export const window_ = () => saved<[number, number] | null>("window");
export async function windowSaved(): Promise<[number, number]> {
  await vi.waitFor(() => expect(window_()).not.toBeNull());
  await new Promise((done) => setTimeout(done, 200));
  return window_() as [number, number];
}

export function begin(): void {
  document.body.replaceChildren();
}

export function end(): void {
  python.close();
}

/** Show a widget without waiting for anything. */
export function open(traits: object, answers: Answers): void {
  python = show(widget, { ...TRAITS, ...traits }, { ...ANSWERS, ...answers });
  root = python.root;
}
