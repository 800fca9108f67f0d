/** Headings of columns that no view describes. */
import { expect, test } from "vitest";
import { columnSpecs } from "../../src/table/columns";

const column = (name: string) => ({ name, unit: "", meaning: "", kind: "float" }) as never;

test("headings are words, and names of processors and utilizations are written as usual", () => {
  const names = ["step", "device_self_us", "recomputed_flops", "mfu_pct", "npu_time_us"];
  const labels = columnSpecs("of_no_view", names.map(column)).map(({ label }) => label);
  expect(labels).toEqual(["Step", "Device self", "Recomputed FLOPs", "MFU", "NPU time"]);
});
