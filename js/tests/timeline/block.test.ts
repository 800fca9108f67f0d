import { float64, int32, list, uint8, uint32 } from "@uwdata/flechette";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CATEGORIES } from "../../src/canvas/categories";
import { ANSWERS, stream, windowOf } from "./fake";
import {
  begin,
  click,
  end,
  live,
  point,
  press,
  ROWS,
  root,
  saved,
  settled,
  start,
  windowSaved,
  xOf,
} from "./harness";

beforeEach(begin);
afterEach(end);

/** Row 3 holds one block: five kernels from 300 to 400 µs. */
const slices: typeof ANSWERS.slices = ({ params }) => {
  const { info } = windowOf(params);
  const table = stream({
    row: [int32(), [3]],
    start: [list(float64()), [[300_000]]],
    width: [list(float64()), [[100_000]]],
    slice: [list(int32()), [[6]]],
    name: [list(int32()), [[-1]]],
    category: [list(uint8()), [[CATEGORIES.indexOf("kernel")]]],
    block: [list(uint32()), [[0]]],
    count: [list(uint32()), [[5]]],
    block_name: [list(int32()), [[-1]]],
    busy_ns: [list(float64()), [[40_000]]],
  });
  const tracks = ANSWERS.slices?.({ params } as never).buffers?.[1] as ArrayBuffer;
  return { result: info, buffers: [table, tracks] };
};

/** The middle of the lane of the stream; the lanes above it, which are empty, become thin. */
const middleOfStream = () => {
  const heads = [...root.querySelectorAll<HTMLElement>(".nbp-tl-lane")];
  const { style } = heads.find((head) => head.textContent?.includes("Stream 7")) as HTMLElement;
  return Number.parseFloat(style.top) + Number.parseFloat(style.height) / 2;
};

const pane = () => root.querySelector(".nbp-tl-slice")?.textContent ?? "";

test("a click on a block says what it is; a key and a double click zoom into it", async () => {
  await start({}, { slices });
  click(xOf(350_000), ROWS[3] as number);
  await settled();
  expect(pane()).toContain("5 slices");
  expect(pane()).toContain("100 µs");
  expect(live()).toContain("5 slices selected");
  expect(saved("selection")).toEqual([]);
  press("f");
  expect(await windowSaved()).toEqual([287.5, 412.5]);
  press("Escape");
  await vi.waitFor(() => expect(pane()).toContain("Click a slice"));
  press("0");
  point("dblclick", xOf(350_000), middleOfStream());
  expect(await windowSaved()).toEqual([287.5, 412.5]);
});

test("what is selected next takes its place", async () => {
  await start({}, { slices });
  click(xOf(350_000), ROWS[3] as number);
  await vi.waitFor(() => expect(pane()).toContain("5 slices"));
  click(xOf(900_000), ROWS[3] as number);
  await vi.waitFor(() => expect(pane()).toContain("Click a slice"));
});
