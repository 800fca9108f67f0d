/** Call stacks: whose frames stand alone, where they are, how they open. */
import { describe, expect, test } from "vitest";
import { StackLines } from "../src/table/grid/callstacks";
import { exactNames, exactPattern, foldStack, parseStack, placeOf } from "../src/values/names";
import { arrow } from "./fixtures";

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
    ["train.py(7): forward", "train.py:7"],
    ["/srv/runs/a (1)/b.py(12): f(x)", "/srv/runs/a (1)/b.py:12"],
    ["<built-in method conv2d>", null],
    ["nn.Module: Net_0", null],
  ])("%s is at %s", (text, place) => {
    expect(placeOf({ text, user: true })).toBe(place);
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
    const read = StackLines.read(
      new Uint8Array(arrow({ call_stack: ["text", [STACK, "train.py(1): a;train.py(2): b"]] })),
      undefined,
    );
    expect(read.length).toBe(2);
    read.toggle(0);
    read.toggle(1);
    expect(read.length).toBe(8);
    read.toggle(0);
    expect(read.length).toBe(2);
  });

  test("a pattern for modules reads as their names", () => {
    expect(exactNames(exactPattern(["Conv2d_1", "a b"], true))).toEqual(["Conv2d_1", "a b"]);
    expect(exactNames(exactPattern(["Conv2d_1"], true))).toEqual(["Conv2d_1"]);
  });
});
