/** Arrows of whole kinds: asked for once the window rests, and taken away with their switch. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { asked } from "../fixtures";
import { ANSWERS, LAYOUT } from "./fake";
import {
  begin,
  click,
  end,
  point,
  press,
  python,
  ROWS,
  root,
  settled,
  start,
  xOf,
} from "./harness";

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
  await start({}, { flows: () => ({ result: { arrows: [arrow], limited: false } }) });
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

test("those nearest to the selected slice or to the pointer are asked for, if there are more", async () => {
  const limited = { flows: () => ({ result: { arrows: [], limited: true } }) };
  await start({}, limited);
  const times = () => asked(python, "flows").map(({ params }) => params.at_ns as number | null);
  const box = open();
  box.checked = true;
  box.dispatchEvent(new Event("change"));
  await vi.waitFor(() => expect(times()).toEqual([null])); // the middle
  await settled();
  point("pointermove", xOf(300_000), 5);
  await vi.waitFor(() => expect(times()).toHaveLength(2));
  expect(Math.abs((times()[1] ?? 0) - 300_000)).toBeLessThan(1000);
  await settled();
  click(xOf(700_000), ROWS[0] as number);
  await vi.waitFor(() => expect(times().at(-1)).toBe(700_000)); // the middle of 500 to 900 µs
  await settled();
  const many = times().length;
  point("pointermove", xOf(100_000), 5); // the slice counts more
  await new Promise((done) => setTimeout(done, 200));
  expect(times()).toHaveLength(many);
});
