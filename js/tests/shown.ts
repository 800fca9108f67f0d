/** Shows the explorer to a test, in a cell of a width that the test tells. */

import { afterEach, beforeEach, expect, vi } from "vitest";
import { resized } from "./fakewidth";
import { type Answers, asked, type FakePython, show } from "./fixtures";

export const { default: widget } = await import("../src/index");

/** The Python that answers the explorer shown last. */
export let python: FakePython;

export async function start(traits = {}, answers: Answers = {}, width = 1000) {
  python = show(widget, traits, answers);
  resized(width);
  await vi.waitFor(() => expect(asked(python, "catalog")).toHaveLength(1));
  return python.root;
}

export const rows = (root: HTMLElement) => [
  ...root.querySelectorAll<HTMLElement>("tr[aria-selected]"),
];
export const press = (target: Element | null | undefined, key: string, more = {}) =>
  target?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
export const buttonNamed = (root: HTMLElement, words: string) =>
  [...root.querySelectorAll("button")].find((button) => button.textContent?.startsWith(words));

beforeEach(() => document.body.replaceChildren());
afterEach(() => python.close());
