import { expect, test } from "vitest";
import { TopField } from "../src/chart/topfield";
import { maker } from "../src/core/dom";

/** A field over traits that a test can read. */
function field(top: number | null | undefined) {
  const traits: { top: number | null | undefined } = { top };
  const ctx = {
    h: maker(new AbortController().signal),
    session: {
      get: () => traits.top,
      set: (values: object) => Object.assign(traits, values),
    },
  };
  const made = new TopField(ctx as never);
  made.update();
  const [input, all] = [made.el.querySelector("input"), made.el.querySelector("button")];
  if (!input || !all) throw new Error("A part is missing.");
  const type = (text: string) => {
    input.value = text;
    input.dispatchEvent(new Event("change"));
  };
  const press = (key: string) => input.dispatchEvent(new KeyboardEvent("keydown", { key }));
  return { made, traits, input, all, type, press };
}

test("a state saved before there was a number shows seven", () => {
  expect(field(undefined).input.value).toBe("7");
});

test("a number is written, all and nothing mean all, and All returns to the last number", () => {
  const { made, traits, input, all, type } = field(7);
  type("12");
  expect(traits.top).toBe(12);
  made.update();
  all.click();
  expect(traits.top).toBeNull();
  made.update();
  expect(input.value).toBe("");
  expect(all.getAttribute("aria-pressed")).toBe("true");
  all.click();
  expect(traits.top).toBe(12);
  type("all");
  expect(traits.top).toBeNull();
});

test.each(["0", "-3", "2.5", "many", "1e400"])("%s is refused, and marked", (text) => {
  const { traits, input, type, made } = field(7);
  type(text);
  expect(traits.top).toBe(7);
  expect(input.getAttribute("aria-invalid")).toBe("true");
  made.update();
  expect(input.getAttribute("aria-invalid")).toBeNull();
});

test("arrow keys count, never below one", () => {
  const { traits, press } = field(2);
  press("ArrowUp");
  expect(traits.top).toBe(3);
  press("ArrowDown");
  press("ArrowDown");
  press("ArrowDown");
  expect(traits.top).toBe(1);
});
