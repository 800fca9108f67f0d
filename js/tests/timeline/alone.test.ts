import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { asked, CATALOG, INFO } from "../fixtures";
import { bytes, view } from "../offline/savedbytes";
import { LAYOUT, MINIMAP, windowOf } from "./fake";
import {
  begin,
  canvas,
  click,
  end,
  open,
  press,
  python,
  ROWS,
  resized,
  root,
  saved,
  start,
  text,
  WIDTH,
  xOf,
} from "./harness";

beforeEach(begin);
afterEach(end);

describe("without a kernel", () => {
  const outline = () => {
    const { info, table } = windowOf({ start_ns: 0, end_ns: 1_000_000, rows: [[0, 4]] });
    const about = JSON.stringify({ layout: LAYOUT, info, left_out: "It leaves out 12 slices." });
    const text = new TextEncoder().encode(about).slice().buffer;
    return view(
      bytes({
        catalog: { about: CATALOG },
        trace: { about: INFO },
        timeline: { parts: [text, table, MINIMAP, new ArrayBuffer(0)] },
      }),
    );
  };

  test("a kernel that is lost leaves lanes that can be moved, and says what is left out", async () => {
    await start({ snapshot: outline() });
    python.model.disconnect();
    await vi.waitFor(() => expect(text()).toContain("It leaves out 12 slices."));
    const before = asked(python, "slices").length;
    press("w");
    press("w");
    await vi.waitFor(() =>
      expect(canvas().getAttribute("aria-label")).toContain("0.1800 to 0.8200 ms"),
    );
    click(xOf(350_000), ROWS[3] as number);
    expect(saved("selection")).toEqual([{ side: "device", row: 0 }]);
    expect(asked(python, "slices")).toHaveLength(before);
    const named = () => root.querySelector(".nbp-tl-name")?.textContent;
    await vi.waitFor(() => expect(named()).toBe("void conv_kernel<float>()"));
    press("ArrowUp");
    await vi.waitFor(() => expect(named()).toBe("aten::conv2d"));
    press("Enter");
    expect(saved("filter")).toEqual({});
  });

  test("a notebook that is opened without one shows its timeline, and what else is missing", async () => {
    open({ snapshot: outline() }, { catalog: () => ({}) });
    python.model.closed = true;
    python.model.disconnect();
    resized(WIDTH);
    await vi.waitFor(() => expect(root.querySelectorAll(".nbp-tl-lane")).toHaveLength(3));
    expect(text()).toContain("It leaves out 12 slices.");
    expect(root.textContent).toContain("6 steps · 57,504 events");
    const tab = [...root.querySelectorAll<HTMLButtonElement>("[role=tab]")].find(
      (each) => each.textContent === "Operators",
    );
    expect(tab?.disabled).toBe(false);
    tab?.click();
    await vi.waitFor(() =>
      expect(root.textContent).toContain("operators is not in the saved state."),
    );
  });

  test("saved state that cannot be read is as if there was none", async () => {
    await start({ snapshot: new DataView(new ArrayBuffer(12)) });
    python.model.disconnect();
    await vi.waitFor(() => expect(text()).toContain("only data loaded before"));
  });
});
