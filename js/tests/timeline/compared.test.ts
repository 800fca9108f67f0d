/** Two runs in one timeline: the bar that aligns them, keys of their slices, and the line between. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Compared, Layout, ShownWorker } from "../../src/views/timeline/data/messages";
import { choiceOf } from "../../src/views/timeline/data/requests";
import { paintLanes } from "../../src/views/timeline/drawing/paint";
import { AlignBar } from "../../src/views/timeline/later/alignbar";
import {
  areaKeys,
  keysToArea,
  keyToSlice,
  sliceKey,
} from "../../src/views/timeline/state/selectionkeys";
import { canvas, PALETTE, sceneOf } from "./drawing/fake";
import { type FakeTimeline, fakeTimeline, KERNEL, LAYOUT, refOf } from "./panes/fake";
import { reason, type Stage, stage } from "./panes/stage";

const COMPARED: Compared = {
  baseline: { run: "before", worker: "worker0", span: 1 },
  align: {},
  at_ns: 200,
  end_ns: 700,
  nth: 1,
  count: 2,
  place: "step 4",
  words: "step 14 begins with step 4 of the candidate",
  steps: [
    [4, 14],
    [5, 5],
  ],
};

const worker = (more: Partial<ShownWorker>): ShownWorker => ({
  worker: "worker0",
  suffix: "",
  first_row: 0,
  first_slice: 0,
  host_rows: 10,
  shift_ns: 0,
  steps: [],
  aligned: "",
  ...more,
});

const BELOW = worker({
  suffix: "@/baseline",
  first_row: 5,
  first_slice: 30,
  host_rows: 4,
  shift_ns: 1000,
  baseline: COMPARED.baseline,
});
const BOTH: Layout = { ...LAYOUT, workers: [worker({}), BELOW], compared: COMPARED };

let on: Stage;
beforeEach(() => {
  on = stage();
});
afterEach(() => on.close());

function bar(changes: Partial<Compared> = {}): { timeline: FakeTimeline; made: AlignBar } {
  const timeline = fakeTimeline({ layout: { ...BOTH, compared: { ...COMPARED, ...changes } } });
  const made = new AlignBar(on.ctx, timeline);
  on.ctx.root.append(...made.parts);
  made.update();
  return { timeline, made };
}

const select = () => on.ctx.root.querySelector("select") as HTMLSelectElement;
const press = (name: string) => on.ctx.root.querySelector<HTMLElement>(`[aria-label="${name}"]`);
const aligned = () => on.ctx.session.get("timeline_align");

describe("the bar", () => {
  test("lists the steps of both, says where they are aligned, and aligns at another", () => {
    bar();
    expect([...select().options].map((one) => one.text)).toEqual(["Step 4 with step 14", "Step 5"]);
    expect(select().value).toBe("4");
    expect(on.ctx.root.textContent).toContain("1 of 2");
    expect(on.ctx.root.textContent).toContain("Baseline before · worker0: step 14 begins with");
    press("Align at the next one")?.click();
    expect(aligned()).toEqual({ step: 5 });
    expect(reason(press("Align at the previous one") as HTMLElement)).toContain("first one");
    select().value = "4";
    select().dispatchEvent(new Event("change"));
    expect(aligned()).toEqual({ step: 4 });
  });

  test("goes through the occurrences of a name", () => {
    bar({ align: { name: "aten::mm", nth: 2 }, place: "aten::mm", nth: 2, count: 3 });
    expect(select().selectedOptions[0]?.text).toBe("aten::mm");
    press("Align at the previous one")?.click();
    expect(aligned()).toEqual({ name: "aten::mm", nth: 1 });
    press("Align at the next one")?.click();
    expect(aligned()).toEqual({ name: "aten::mm", nth: 3 });
  });

  test("aligns at the selected slice once its place is known", () => {
    const { timeline, made } = bar();
    const here = () =>
      [...on.ctx.root.querySelectorAll("button")].find((one) =>
        one.textContent?.includes("selected slice"),
      ) as HTMLButtonElement;
    expect(reason(here())).toBe("Select a slice first.");
    const align = { step: 4, name: "aten::mm", nth: 7 };
    const selected = refOf(KERNEL);
    timeline.state = { ...timeline.state, selected, details: { ...KERNEL, align } };
    made.update();
    here().click();
    expect(aligned()).toEqual(align);
  });

  test("shows the place when it changes, but not when a timeline is opened", () => {
    const { timeline, made } = bar();
    expect(timeline.calls).toEqual([]);
    const moved = { ...COMPARED, align: { step: 5 }, at_ns: 400, end_ns: 900 };
    timeline.state = { ...timeline.state, layout: { ...BOTH, compared: moved } };
    made.update();
    made.update();
    expect(timeline.calls).toEqual([["zoomTo", { start_ns: 400, end_ns: 900 }]]);
    expect(bar({ align: { step: 4 } }).timeline.calls).toHaveLength(1);
  });

  test("says why a baseline cannot be shown", () => {
    const failed = { baseline: "There is no run 'x'." };
    const { compared: _, ...rest } = BOTH;
    const made = new AlignBar(on.ctx, fakeTimeline({ layout: { ...rest, failed } }));
    on.ctx.root.append(...made.parts);
    made.update();
    const seen = made.parts.filter((part) => !part.hidden).map((part) => part.textContent);
    expect(seen).toEqual(["The baseline cannot be shown: There is no run 'x'."]);
  });
});

describe("a selection", () => {
  test("names the baseline, on its own clock", () => {
    const key = { side: "device", row: 2, baseline: true };
    expect(sliceKey(36, BOTH)).toEqual(key);
    expect(keyToSlice(key, BOTH)).toBe(36);
    expect(keyToSlice(key, LAYOUT)).toBeNull();
    expect(sliceKey(3, BOTH)).toEqual({ side: "host", row: 3 });
    expect(keyToSlice({ side: "host", row: 3, worker: "worker0" }, BOTH)).toBe(3);
    const area = { start_ns: 3000, end_ns: 9000, lanes: ["gpu:0:7", "gpu:0:7@/baseline"] };
    const keys = areaKeys(area, [], BOTH);
    expect(keys).toEqual([
      { lane: "gpu:0:7", start_us: 3, end_us: 9 },
      { lane: "gpu:0:7", baseline: true, start_us: 2, end_us: 8 },
    ]);
    expect(keysToArea(keys, BOTH)).toEqual(area);
    expect(keysToArea(keys, LAYOUT)?.lanes).toEqual(["gpu:0:7"]);
  });

  test("an area of a key without a lane is of all lanes", () => {
    const key = { start_us: 1, end_us: 2.5 };
    expect(keysToArea([key], LAYOUT)).toEqual({ start_ns: 1000, end_ns: 2500, lanes: [] });
    expect(keysToArea([{ side: "host", row: 1 }], LAYOUT)).toBeNull();
    expect(keysToArea([], LAYOUT)).toBeNull();
  });

  test("requests go to the baseline on screen, aligned as it is", () => {
    expect(choiceOf(BOTH)).toEqual({ group_by: "thread", align: {} });
    const third = worker({ worker: "worker1", suffix: "@worker1" });
    const more = { ...BOTH, workers: [worker({}), BELOW, third] };
    expect(choiceOf(more)).toEqual({
      group_by: "thread",
      workers: ["worker1"],
      clock: "auto",
      align: {},
    });
  });
});

test("a dashed line crosses the lanes where they are aligned, and no name of a group", () => {
  const { ctx, calls } = canvas(1);
  paintLanes(ctx, sceneOf({ aligned: COMPARED }));
  const lines = calls.filter(
    ({ name, strokeStyle }) => name === "stroke" && strokeStyle === PALETTE.accent,
  );
  const from = calls.filter(({ name, args }) => name === "moveTo" && args[0] === 200.5);
  expect(lines.length).toBeGreaterThan(0);
  expect(from).toHaveLength(lines.length);
  expect(from.every(({ args }) => Number(args[1]) >= 22)).toBe(true);
});
