/** Arrows of whole kinds: asked for once the window rests, and taken away with their switch. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { asked } from "../fixtures";
import { ANSWERS, LAYOUT } from "./fake";
import { begin, end, press, python, root, settled, start } from "./harness";

const usual = ANSWERS.timeline;
beforeEach(() => {
  begin();
  ANSWERS.timeline = () => ({ result: { ...LAYOUT, flows: ["enqueue"] } });
});
afterEach(() => {
  end();
  if (usual) ANSWERS.timeline = usual;
});

function open(): HTMLInputElement {
  const button = [...root.querySelectorAll<HTMLElement>(".nbp-tl-toolbar button")].find((one) =>
    one.textContent?.startsWith("Lanes"),
  );
  button?.click();
  const boxes = root.querySelectorAll<HTMLInputElement>("[aria-label=Arrows] input");
  expect(boxes).toHaveLength(1); // the only kind that the trace has
  return boxes[0] as HTMLInputElement;
}

test("a switch asks for the arrows of the window, and again where the window moves", async () => {
  const arrow = { kind: "enqueue", from_row: 0, from_ns: 5, to_row: 3, to_ns: 9 };
  await start({}, { flows: () => ({ result: { arrows: [arrow] } }) });
  expect(asked(python, "flows")).toHaveLength(0);
  const box = open();
  box.checked = true;
  box.dispatchEvent(new Event("change"));
  await vi.waitFor(() => expect(asked(python, "flows")).toHaveLength(1));
  expect(asked(python, "flows")[0]?.params).toMatchObject({
    kinds: ["enqueue"],
    start_ns: 0,
    end_ns: 1_000_000,
    rows: [[0, 4]],
  });
  press("w");
  await vi.waitFor(() => expect(asked(python, "flows")).toHaveLength(2));
  box.dispatchEvent(new Event("change"));
  press("w");
  await settled();
  await new Promise((done) => setTimeout(done, 200));
  expect(asked(python, "flows")).toHaveLength(2);
});
