/** The operators view: what its charts and tables leave out. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { resized } from "../fakewidth";
import { type FakePython, INFO, show } from "../fixtures";

const { default: widget } = await import("../../src/index");

let python: FakePython;

beforeEach(() => document.body.replaceChildren());
afterEach(() => python?.close());

function start(hints: Record<string, string>): HTMLElement {
  const traits = { active: "operators", views: ["operators"] };
  python = show(widget, traits, { trace: () => ({ result: { ...INFO, hints } }) });
  resized(1000);
  return python.root;
}

test("device time of no operator is said above the charts", async () => {
  const words = "In the whole recording, 1.1 ms of 1.1 ms device time belongs to no operator.";
  const root = start({ no_operator: words });
  await vi.waitFor(() => expect(root.textContent).toContain(words));
});

test("missing device work is said first", async () => {
  const root = start({ no_operator: "left", device: "No device work was recorded." });
  await vi.waitFor(() => expect(root.textContent).toContain("No device work was recorded."));
  expect(root.textContent).not.toContain("left");
});
