import { describe, expect, test } from "vitest";
import {
  chooseTimeUnit,
  formatBytes,
  formatDuration,
  formatNumber,
  formatPercent,
  formatTime,
  TIME_UNITS,
} from "../src/values/format";

describe("one unit for a column", () => {
  test.each([
    [[1, 20, 300], "µs"],
    [[10, 20_000, 900_000], "ms"],
    [[999, 999], "µs"],
    [[1000], "ms"],
    [[9.99e6], "ms"],
    [[1e7, 2e7], "s"],
    [[0, null, 5], "µs"],
    [[0, null], "ms"],
  ])("the median of %j chooses %s", (values, label) => {
    expect(chooseTimeUnit(values, "auto").label).toBe(label);
  });

  test("a wish goes before the values", () => {
    expect(chooseTimeUnit([5e7], "ms")).toEqual(TIME_UNITS.ms);
    expect(chooseTimeUnit([], "s")).toEqual(TIME_UNITS.s);
    expect(chooseTimeUnit([5e7], "ns")).toEqual(TIME_UNITS.ns);
    expect(formatTime(8_573.413, TIME_UNITS.ns)).toBe("8,573,413");
  });

  test("a unit too large for the values gets decimals", () => {
    const unit = chooseTimeUnit([51_747, 19_056, 15_248], "s");
    expect(formatTime(51_747, unit)).toBe("0.0517");
    expect(chooseTimeUnit([0.001], "s").decimals).toBe(6);
  });
});

test("decimals are fixed, thousands are separated", () => {
  expect(formatTime(1_234_567, TIME_UNITS.ms)).toBe("1,234.6");
  expect(formatTime(498.2, TIME_UNITS.us)).toBe("498");
  expect(formatNumber(23616)).toBe("23,616");
});

test("null is a dash, zero is zero, and what is small is neither", () => {
  expect(formatPercent(null)).toBe("–");
  expect(formatPercent(0)).toBe("0.0");
  expect(formatPercent(0.04)).toBe("<0.1");
  expect(formatPercent(0.05)).toBe("0.1");
  expect(formatTime(null, TIME_UNITS.ms)).toBe("–");
});

test("single lengths and sizes carry their unit", () => {
  expect(formatDuration(1_065_600)).toBe("1.07 s");
  expect(formatDuration(12_340)).toBe("12.3 ms");
  expect(formatDuration(42)).toBe("42 µs");
  expect(formatBytes(400)).toBe("400 B");
  expect(formatBytes(6451)).toBe("6.3 KiB");
});
