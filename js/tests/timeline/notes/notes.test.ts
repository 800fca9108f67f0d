/** Notes: written on a slice or a range, listed, drawn, kept in the trait. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { noteAt } from "../../../src/views/timeline/notes/paintnotes";
import { scaleOf } from "../../../src/views/timeline/state/scale";
import {
  begin,
  click,
  drag,
  end,
  press,
  python,
  ROWS,
  root,
  ruler,
  saved,
  settled,
  start,
  xOf,
} from "../harness";

const TRACE = { run: "resnet50", worker: "worker0", span: 1 };

beforeEach(begin);
afterEach(end);

const notes = () => saved<Record<string, unknown>[] | undefined>("notes") ?? [];
const field = () => root.querySelector(".nbp-tl-noteform textarea") as HTMLTextAreaElement;
const listed = () =>
  [...root.querySelectorAll(".nbp-tl-notelist li")].map((line) => line.textContent ?? "");
const act = (words: string, at = 0) =>
  [...root.querySelectorAll<HTMLElement>(".nbp-tl-details button")]
    .filter((button) => button.textContent === words)
    [at]?.click();

function write(text: string): void {
  field().value = text;
  press("Enter", {}, field());
}

const trace = () => ({ run: saved("run"), worker: saved("worker"), span: saved("span") });
const note = (more: object) => ({
  ...trace(),
  lane: "",
  depth: -1,
  side: "",
  row: -1,
  start_ns: 0,
  end_ns: 10,
  name: "",
  text: "",
  ...more,
});

describe("notes", () => {
  test("are written on the selected slice with T and Enter", async () => {
    await start(TRACE);
    click(xOf(150_000), ROWS[1] as number);
    await settled();
    press("t");
    await vi.waitFor(() => expect(field().closest("[hidden]")).toBeNull());
    write(" slow <b>here</b> ");
    expect(notes()).toEqual([
      note({
        lane: "cpu:1:7",
        depth: 1,
        side: "host",
        row: 1,
        start_ns: 100_000,
        end_ns: 200_000,
        name: "aten::cudnn_convolution",
        text: "slow <b>here</b>",
      }),
    ]);
    await vi.waitFor(() => expect(listed()).toHaveLength(1));
    expect(listed()[0]).toContain("slow <b>here</b>");
    expect(root.querySelector(".nbp-tl-notelist b")).toBeNull();
    expect(root.querySelector("[id$=tab-notes]")?.textContent).toBe("Notes (1)");
  });

  test("are written on the selected range; without a selection a sentence says how", async () => {
    await start(TRACE);
    press("t");
    expect(root.querySelector(".nbp-tl-note")?.textContent).toContain("Select a slice or a range");
    drag([xOf(200_000), ROWS[3] as number], [xOf(400_000), ROWS[3] as number], { shiftKey: true });
    await settled();
    press("t");
    await vi.waitFor(() => expect(field().closest("[hidden]")).toBeNull());
    write("");
    expect(notes()).toHaveLength(1);
    expect(notes()[0]).toMatchObject({ lane: "gpu:0:7", depth: -1, side: "", name: "", text: "" });
    expect(notes()[0]?.start_ns).toBeCloseTo(200_000, -4);
    await vi.waitFor(() => expect(listed()[0]).toContain("bookmark"));
  });

  test("lead to their place, and can be changed, deleted and brought back", async () => {
    await start(TRACE);
    const one = note({ lane: "gpu:0:7", start_ns: 300_000, end_ns: 310_000, text: "one" });
    python.model.set("notes", [one, note({ worker: "worker9", text: "two" })]);
    await vi.waitFor(() => expect(listed()).toHaveLength(1));
    expect(root.querySelector(".nbp-tl-details")?.textContent).toContain("1 note on other workers");
    (root.querySelector("[id$=tab-notes]") as HTMLElement).click();
    (root.querySelector(".nbp-tl-notelist li button") as HTMLElement).click();
    await vi.waitFor(() =>
      expect(saved("selection")).toEqual([{ lane: "gpu:0:7", start_us: 300, end_us: 310 }]),
    );
    act("Edit");
    await vi.waitFor(() => expect(field().value).toBe("one"));
    write("changed");
    expect(notes().map(({ text }) => text)).toEqual(["changed", "two"]);
    await vi.waitFor(() => expect(listed()[0]).toContain("changed"));
    act("Delete");
    await vi.waitFor(() => expect(listed()).toHaveLength(0));
    expect(notes().map(({ text }) => text)).toEqual(["two"]);
    act("Undo");
    await vi.waitFor(() => expect(listed()).toHaveLength(1));
    expect(notes().map(({ text }) => text)).toEqual(["two", "changed"]);
  });

  test("open with a click on their flag; Escape ends writing and keeps the selection", async () => {
    await start({ ...TRACE, notes: [] });
    python.model.set("notes", [note({ start_ns: 500_000, end_ns: 600_000, text: "here" })]);
    await settled();
    const at = { clientX: xOf(500_000) - 3, clientY: 4, button: 0, pointerId: 1, bubbles: true };
    ruler().dispatchEvent(new PointerEvent("pointerdown", at));
    ruler().dispatchEvent(new PointerEvent("pointerup", at));
    await vi.waitFor(() => expect(field().value).toBe("here"));
    press("Escape", {}, field());
    await vi.waitFor(() => expect(field().closest("[hidden]")).not.toBeNull());
    expect(notes()).toHaveLength(1);
  });
});

test("the nearest flag is hit, and none far from all", () => {
  const marks = [100, 400].map((start_ns) => ({ start_ns, end_ns: 900 }) as never);
  const scale = scaleOf({ start_ns: 0, end_ns: 1000 }, 1000);
  expect(noteAt(marks, scale, 98)).toMatchObject({ start_ns: 100 });
  expect(noteAt(marks, scale, 395)).toMatchObject({ start_ns: 400 });
  expect(noteAt(marks, scale, 250)).toBeNull();
});
