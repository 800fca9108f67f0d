import { expect, test, vi } from "vitest";
import { maker } from "../src/core/dom";
import { Suggestions } from "../src/tools/suggestions";

const NAMES = { names: [["aten::mm", "operator", 9]], total: 1 };

/** A list whose answers come when a test lets them. */
function list(names: unknown = NAMES) {
  const answers: (() => void)[] = [];
  const life = new AbortController();
  const h = maker(life.signal);
  const request = () =>
    new Promise((resolve) => answers.push(() => resolve({ result: names, buffers: [] })));
  const ctx = {
    h,
    id: "nbp1",
    signal: life.signal,
    session: { state: {}, router: { request }, setFilter: vi.fn() },
    announce: () => {},
  };
  const [input, under] = [h("input"), h("div")];
  const chosen = vi.fn();
  const made = new Suggestions(ctx as never, input as HTMLInputElement, under, chosen);
  const isOpen = () => under.querySelector<HTMLElement>("[role=listbox]")?.hidden === false;
  const press = (key: string) => made.key(new KeyboardEvent("keydown", { key }));
  const { setFilter } = ctx.session;
  return { made, input: input as HTMLInputElement, answers, isOpen, press, chosen, setFilter };
}

test("what is typed opens the list", async () => {
  const { made, input, answers, isOpen } = list();
  input.value = "mm";
  made.follow();
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  answers[0]?.();
  await vi.waitFor(() => expect(isOpen()).toBe(true));
});

test("a name that was taken by Enter opens it no more, also where the answer comes late", async () => {
  const { made, input, answers, isOpen, press } = list();
  input.value = "mm";
  made.follow();
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  expect(press("Enter")).toBe(false);
  answers[0]?.();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isOpen()).toBe(false);
});

test("a thread that the filter does not list becomes the filter", async () => {
  const threads = { names: [["thread 50000", "thread", 50000]], total: 1 };
  const { made, input, answers, isOpen, press, chosen, setFilter } = list(threads);
  input.value = "50000";
  made.follow();
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  answers[0]?.();
  await vi.waitFor(() => expect(isOpen()).toBe(true));
  press("ArrowDown");
  expect(press("Enter")).toBe(true);
  expect(chosen).toHaveBeenCalledWith("", "");
  expect(setFilter).toHaveBeenCalledWith({ threads: [50000] });
});
