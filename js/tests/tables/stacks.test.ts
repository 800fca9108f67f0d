/** Call stacks: whose frames stand alone, where they are, how they open. */
import { describe, expect, test } from "vitest";
import type { Context } from "../../src/core/context";
import { maker } from "../../src/core/dom";
import type { Session } from "../../src/core/state/session";
import { stackCells } from "../../src/stacks/drawing";
import { foldStack, placeOf } from "../../src/stacks/frames";
import { findSources } from "../../src/stacks/sources";
import { StackLines } from "../../src/stacks/stacklines";
import { exactNames, exactPattern, parseStack } from "../../src/values/names";
import { arrow } from "../fixtures";

describe("call stacks", () => {
  const STACK =
    "<built-in method conv2d>;torch/nn/modules/conv.py(1): forward;train.py(7): forward;" +
    "threading.py(3): run;train.py(9): <module>";

  test("the user's frames stand alone, the library's together", () => {
    const groups = foldStack(parseStack(STACK));
    expect(groups.map((group) => group.length)).toEqual([2, 1, 1, 1]);
    expect(groups.map((group) => group[0]?.user)).toEqual([false, true, false, true]);
  });

  test.each([
    ["train.py(7): forward", { file: "train.py", line: 7 }],
    ["/srv/runs/a (1)/b.py(12): f(x)", { file: "/srv/runs/a (1)/b.py", line: 12 }],
    ["<built-in method conv2d>", null],
    ["nn.Module: Net_0", null],
  ])("the place of %s is %o", (text, place) => {
    expect(placeOf({ text, user: true })).toEqual(place);
  });

  test.each([
    "/usr/lib/python3.11/site-packages/torch/nn/modules/conv.py(1): forward",
    "/opt/conda/lib/python3.12/json/decoder.py(3): decode",
    "torch/optim/optimizer.py(5): step",
    "threading.py(3): run",
    "concurrent/futures/thread.py(8): run",
    "contextlib.py(81): inner",
  ])("%s is not the user's", (text) => {
    expect(parseStack(text)[0]?.user).toBe(false);
  });

  test.each(["train.py(1): f", "src/queues.py(2): g", "my/threading_tools.py(3): h"])(
    "%s is the user's",
    (text) => expect(parseStack(text)[0]?.user).toBe(true),
  );

  test("folds open one by one, and close with what is inside", () => {
    const lines = StackLines.of(STACK);
    expect(lines.length).toBe(4);
    lines.toggle(0);
    expect(lines.length).toBe(6);
    lines.toggle(3); // a frame, which does not open
    expect(lines.length).toBe(6);
    lines.toggle(0);
    expect(lines.length).toBe(4);
  });

  const tree = (depth: number[], frames: string[]) =>
    StackLines.read(
      new Uint8Array(arrow({ depth: ["count", depth], frames: ["text", frames] })),
      "No stacks here.",
    );
  const shown = (lines: StackLines) =>
    Array.from({ length: lines.length }, (_, at) => {
      const line = lines.at(at);
      if (line?.kind === "branch") return line.shown?.text ?? "";
      return line?.kind === "frame" ? line.frame.text : line?.kind;
    });

  test("what all stacks share is open, and the branches below are closed", () => {
    const lines = tree(
      [0, 1, 2, 2, 1],
      ["a.py(1): main;b.py(2): step", "c.py(3): encode", "d.py(4): x", "", "e.py(5): decode"],
    );
    expect(shown(lines)).toEqual(["b.py(2): step", "c.py(3): encode", "e.py(5): decode"]);
    lines.toggle(2); // nothing is below it
    expect(lines.length).toBe(3);
    lines.toggle(1);
    expect(shown(lines).slice(1, 4)).toEqual(["c.py(3): encode", "d.py(4): x", ""]);
    lines.toggle(0);
    expect(shown(lines)).toEqual(["b.py(2): step"]);
    lines.toggle(0);
    expect(lines.length).toBe(5); // as it was left
  });

  test("the frames of a line open beneath it, with those of libraries folded", () => {
    const library = "torch/nn/a.py(1): f;torch/nn/b.py(2): g";
    const lines = tree([0, 0], [`x.py(1): a;${library}`, "y.py(1): b"]);
    expect(shown(lines)).toEqual(["x.py(1): a", "y.py(1): b"]);
    lines.toggle(0, true);
    expect(shown(lines)).toEqual(["x.py(1): a", "fold", "y.py(1): b"]);
    lines.toggle(1);
    expect(shown(lines).slice(2, 4)).toEqual(["torch/nn/a.py(1): f", "torch/nn/b.py(2): g"]);
    lines.toggle(0, true);
    expect(lines.length).toBe(2);
  });

  test("the frame nearest to the operator stands for what all share", () => {
    expect(shown(tree([0], ["a.py(1): main;b.py(2): step;torch/nn/c.py(3): f"]))).toEqual([
      "b.py(2): step",
    ]);
    expect(shown(tree([0, 0], ["a.py(1): x;b.py(1): y", "c.py(1): z"]))[0]).toBe("a.py(1): x");
  });

  test("without stacks there is the reason, and what did not fit is said", () => {
    expect(tree([0], [""]).at(0)).toEqual({ kind: "note", text: "No stacks here." });
    const buffer = new Uint8Array(arrow({ depth: ["count", [0]], frames: ["text", ["a"]] }));
    expect(StackLines.read(buffer, undefined, 3).at(1)).toEqual({
      kind: "note",
      text: "3 more lines are not shown.",
    });
  });

  test("a pattern for modules reads as their names", () => {
    expect(exactNames(exactPattern(["Conv2d_1", "a b"], true))).toEqual(["Conv2d_1", "a b"]);
    expect(exactNames(exactPattern(["Conv2d_1"], true))).toEqual(["Conv2d_1"]);
  });

  test("frames become links where they stand, and the buttons beside them stay", async () => {
    const h = maker(new AbortController().signal);
    const config = { appName: "JupyterLab", serverRoot: "/srv", baseUrl: "/" };
    const page = h("script", { id: "jupyter-config-data", type: "application/json" });
    page.textContent = JSON.stringify(config);
    document.head.append(page);
    const answer = { result: { files: { "train.py": "notebooks/train.py" } }, buffers: [] };
    const router = { connected: true, request: async () => answer };
    const session = { model: {}, router } as unknown as Session;
    const lines = tree([0], ["train.py(1): main;other.py(2): step;train.py(3): forward"]);
    findSources(session, lines.frames);
    const drawing = { rows: lines.rows, specs: [], units: new Map(), toggle: () => {} };
    const ctx = { h, session, announce: () => {} } as unknown as Context;
    const [cell] = stackCells(ctx, lines.at(0), drawing);
    const more = [...(cell?.querySelectorAll("button") ?? [])].at(-1);
    expect(more?.textContent).toBe("+ 2 frames");
    expect(cell?.querySelector("a")).toBeNull();
    await new Promise((done) => setTimeout(done));
    expect(cell?.querySelector("a")?.getAttribute("href")).toBe(
      "/lab/tree/notebooks/train.py#line=2",
    );
    expect(cell?.querySelector("a")?.textContent).toBe("train.py(3): forward");
    expect(cell?.contains(more as Node)).toBe(true);
    lines.toggle(0, true);
    const [other] = stackCells(ctx, lines.at(2), drawing);
    await new Promise((done) => setTimeout(done));
    expect(other?.textContent).toContain("other.py(2): step");
    expect(other?.querySelector("a")).toBeNull(); // the server lacks the file
    page.remove();
  });
});
