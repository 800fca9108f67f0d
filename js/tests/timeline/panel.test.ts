import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Request } from "../../src/core/protocol/protocol";
import type { Lane } from "../../src/views/timeline/data/messages";
import { asked } from "../fixtures";
import { ANSWERS, LAYOUT } from "./fake";
import {
  begin,
  CANVAS,
  canvas,
  click,
  end,
  live,
  point,
  press,
  python,
  ROWS,
  root,
  saved,
  settled,
  start,
  text,
  window_,
  windowSaved,
  xOf,
} from "./harness";

type Asked = { params: { rows: unknown } };

beforeEach(begin);
afterEach(end);

describe("what is drawn", () => {
  test("lanes by group, with what stands beside them", async () => {
    await start();
    const bands = [...root.querySelectorAll(".nbp-tl-group")].map((band) => band.textContent);
    expect(bands).toEqual(["▾ python 1 CPU, 2 threads", "▾ GPU 0 V100, 1 stream"]);
    const lanes = [...root.querySelectorAll(".nbp-tl-lane")].map((lane) => lane.textContent);
    expect(lanes[0]).toBe("▾ Thread 7 main · 3 in sub-lanes");
    expect(lanes).toHaveLength(3);
    expect(root.querySelector(".nbp-tl-track")?.textContent).toBe("Utilization 0 to 100 %");
    expect(canvas().getAttribute("aria-label")).toContain("3 lanes, 8 slices");
    expect(canvas().tabIndex).toBe(0);
  });

  test("the Python frames of a thread are one row until they are opened", async () => {
    const usual = ANSWERS.timeline;
    const [first, ...rest] = LAYOUT.lanes;
    const lanes = [
      { ...(first as Lane), folded: "Python frame", detail: "Python frames" },
      ...rest,
    ];
    ANSWERS.timeline = () => ({ result: { ...LAYOUT, lanes } });
    await start();
    const [frames, other] = root.querySelectorAll<HTMLElement>(".nbp-tl-lane");
    expect(frames?.textContent).toContain("▸ 2 Python frames, open Thread 7");
    expect(frames?.getAttribute("aria-expanded")).toBe("false");
    expect((asked(python, "slices")[0] as never as Asked).params.rows).toEqual([
      [0, 1],
      [2, 4],
    ]);
    frames?.click();
    await settled();
    expect(frames?.textContent).toContain("▾ 2 Python frames Thread 7");
    expect(other?.textContent).toBe("Thread 8 ");
    if (usual) ANSWERS.timeline = usual;
  });

  test("the first question is about the whole trace, with all rows in sight", async () => {
    await start();
    const { params } = asked(python, "slices")[0] as never as { params: Record<string, unknown> };
    expect(params).toMatchObject({ start_ns: 0, end_ns: 1_000_000, width: CANVAS, search: "" });
    expect(params.rows).toEqual([[0, 4]]);
    expect(params.tracks).toEqual(["utilization:0"]);
    expect(params.group_by).toBe("thread");
  });

  test("nothing to draw is said in Python's words", async () => {
    const usual = ANSWERS.timeline;
    ANSWERS.timeline = () => ({
      result: { ...LAYOUT, lanes: [], tracks: [], empty: "Nothing has a start." },
    });
    await start();
    if (usual) ANSWERS.timeline = usual;
    expect(root.textContent).toContain("Nothing to draw");
    expect(root.textContent).toContain("Nothing has a start.");
  });

  test("groups and lanes fold, and say so", async () => {
    await start();
    const band = root.querySelector<HTMLElement>(".nbp-tl-group");
    expect(band?.getAttribute("aria-expanded")).toBe("true");
    band?.click();
    await settled();
    expect(root.querySelector(".nbp-tl-group")?.getAttribute("aria-expanded")).toBe("false");
    expect(root.querySelectorAll(".nbp-tl-lane")).toHaveLength(1);
  });

  test("what is pinned stands first, with the name of its group", async () => {
    await start();
    const lanes = [...root.querySelectorAll("button")].find((b) =>
      b.textContent?.startsWith("Lanes"),
    );
    lanes?.click();
    root.querySelector<HTMLElement>('[aria-label="Pin Stream 7 to the top"]')?.click();
    await settled();
    const bands = [...root.querySelectorAll<HTMLElement>(".nbp-tl-group")];
    const first = bands.sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))[0];
    expect(first?.textContent).toBe("▾ Pinned 1 lane");
    expect(text()).toContain("Stream 7 GPU 0");
  });

  test("a filter of threads hides the others' lanes", async () => {
    await start();
    python.model.receive({ state: { filter: { threads: [8] } } });
    await settled();
    const lanes = [...root.querySelectorAll(".nbp-tl-lane")].map((lane) => lane.textContent);
    expect(lanes).toEqual(["Thread 8 ", "Stream 7 "]);
  });

  test("an empty lane says when its next slice is, and leads there", async () => {
    await start({ window: [0, 100] });
    await vi.waitFor(() => expect(text()).toContain("Next at"));
    const notes = [...root.querySelectorAll(".nbp-tl-empty")].map((note) => note.textContent);
    expect(notes).toEqual([
      "No slices here. Next at 0.80 ms Go there ›",
      "No slices here. Next at 0.30 ms Go there ›",
    ]);
    root.querySelector<HTMLElement>(".nbp-tl-empty button")?.click();
    const [from, to] = await windowSaved().then(() => window_() as [number, number]);
    expect(from).toBeLessThan(800);
    expect(to - from).toBeCloseTo(100);
  });
});

test("a lane of several rows without a slice in the window is thin until it has one", async () => {
  const heightOf = (name: string) =>
    [...root.querySelectorAll<HTMLElement>(".nbp-tl-lane")].find((head) =>
      head.textContent?.includes(name),
    )?.style.height;
  await start({ window: [440, 490] });
  expect(heightOf("Thread 7")).toBe("38px");
  await vi.waitFor(() => expect(heightOf("Thread 7")).toBe("20px"), { timeout: 2000 });
  press("0");
  await vi.waitFor(() => expect(heightOf("Thread 7")).toBe("38px"));
});

describe("measuring and keys", () => {
  test("two clicks measure, from the end of a slice that is near", async () => {
    await start();
    press("m");
    click(xOf(300_000) + 2, ROWS[3] as number);
    point("pointermove", xOf(500_000), ROWS[3] as number);
    click(xOf(700_000) - 1, ROWS[3] as number);
    await vi.waitFor(() => expect(live()).toContain("Measured 400.0 µs"));
    expect(saved("selection")).toEqual([]);
    press("Escape");
    click(xOf(350_000), ROWS[3] as number);
    expect(saved("selection")).toHaveLength(1);
  });

  test("Enter measures from one selected slice to another", async () => {
    await start();
    click(xOf(350_000), ROWS[3] as number);
    press("m");
    press("Enter");
    press("ArrowRight");
    press("Enter");
    await vi.waitFor(() => expect(live()).toContain("Measured 650.0 µs"));
    expect(saved("filter")).toEqual({});
  });

  test("? opens the list of keys", async () => {
    await start();
    press("?");
    await vi.waitFor(() =>
      expect(root.querySelector(".nbp-tl-over")?.hasAttribute("hidden")).toBe(false),
    );
  });

  test.each(["w", "d", "f", "0", "Enter", "ArrowLeft"])(
    "%s with Ctrl, ⌘ or Alt is not taken",
    async (key) => {
      await start();
      for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }])
        expect(press(key, more)).toBe(false);
      expect(press("x")).toBe(false);
    },
  );

  test("keys outside of the timeline, and those of its buttons, are not taken", async () => {
    await start();
    const band = root.querySelector(".nbp-tl-group") as Element;
    expect(press("Enter", {}, band)).toBe(false);
    expect(press("w", {}, root)).toBe(false);
  });
});

test("an answer that failed is said, and can be asked for again", async () => {
  let broken = true;
  const error = { type: "E", message: "no such window", hint: "", details: "" };
  await start(
    {},
    { slices: (request) => (broken ? { error } : (ANSWERS.slices?.(request) ?? {})) },
  );
  await vi.waitFor(() => expect(text()).toContain("Error: no such window"));
  broken = false;
  root.querySelector<HTMLElement>(".nbp-tl-error button")?.click();
  await vi.waitFor(() => expect(text()).not.toContain("no such window"));
});

test("while another trace is read, nothing is asked about rows of this one", async () => {
  const runs = (request: Request) => (request.params.state as { run: string }).run;
  const timeline = (request: Request) =>
    runs(request) === "bert" ? (undefined as never) : (ANSWERS.timeline?.(request) ?? {});
  await start({}, { timeline });
  const before = asked(python, "slices").length;
  python.model.receive({ state: { run: "bert", worker: "w", span: 1 } });
  await vi.waitFor(() => expect(asked(python, "timeline").map(runs)).toContain("bert"));
  press("w");
  click(xOf(350_000), ROWS[3] as number);
  await new Promise((done) => setTimeout(done, 200));
  expect(asked(python, "slices")).toHaveLength(before);
  expect(asked(python, "slice")).toHaveLength(0);
});
