import { describe, expect, test } from "vitest";
import {
  formatAt,
  formatSpan,
  positionChoice,
  ticks,
  tickText,
} from "../../../src/views/timeline/drawing/ticks";
import { rangeText } from "../../../src/views/timeline/panes/positiontext";
import { LAYOUT } from "../fake";

const MS = 1e6;

describe("ticks", () => {
  test("a window of six milliseconds has one at each", () => {
    const { step, unit, major, minor } = ticks({ start_ns: 425.6 * MS, end_ns: 431.6 * MS }, 790);
    expect(step).toBe(MS);
    expect(major.map((time) => tickText(time, step, unit))).toEqual([
      "426",
      "427",
      "428",
      "429",
      "430",
      "431",
    ]);
    expect(minor).toHaveLength(55);
    expect(minor).not.toContain(426 * MS);
  });

  test("at any zoom they are round, inside, told apart, and leave room for their text", () => {
    for (let power = 0.5; power < 13; power += 0.173) {
      for (const start of [0, 431_169_123, 9.87654e12]) {
        const view = { start_ns: start, end_ns: start + 10 ** power };
        const { step, unit, major } = ticks(view, 800);
        expect(String(step)).toMatch(/^[125]0*$/);
        expect(major.every((time) => time >= view.start_ns && time <= view.end_ns)).toBe(true);
        expect(major.every((time) => time % step === 0)).toBe(true);
        const texts = major.map((time) => tickText(time, step, unit));
        expect(new Set(texts).size).toBe(texts.length);
        const room = (step / 10 ** power) * 800;
        expect(Math.max(...texts.map((text) => text.length * 6), 0)).toBeLessThan(room);
        expect(major.length).toBeGreaterThanOrEqual(step > 1 ? 1 : 0);
      }
    }
  });

  test("in nanoseconds by choice, with room for their digits", () => {
    const view = { start_ns: 425.6 * MS, end_ns: 431.6 * MS };
    const { step, unit, major } = ticks(view, 790, "ns");
    expect(unit.label).toBe("ns");
    expect(tickText(major[0] ?? 0, step, unit)).toMatch(/^42\d,000,000$/);
    expect(major.length).toBeLessThan(8);
    expect(formatAt(1_234_567, 100, "ns")).toBe("1,234,567 ns");
  });

  test("full zoom shows nanoseconds", () => {
    const view = { start_ns: 431_169_100, end_ns: 431_169_110 };
    const { step, unit, major, minor } = ticks(view, 800);
    expect(step).toBe(2);
    expect(tickText(major[1] as number, step, unit)).toBe("431,169.102");
    expect(unit.label).toBe("µs");
    expect(minor).toEqual([]);
    expect(tickText(431_169_102, step, ticks(view, 800, "ms").unit)).toBe("431.169102");
  });

  test("the unit may be wished for", () => {
    expect(ticks({ start_ns: 0, end_ns: 6 * MS }, 790, "us").unit.label).toBe("µs");
    expect(formatAt(2.5 * MS, 10 * MS, "s")).toBe("0.003 s");
    expect(formatAt(2.5e9, 1e10)).toBe("3 s");
  });
});

describe("the unit of positions", () => {
  test("ruler and range are told in one, whatever the zoom and the width", () => {
    for (let power = 1.3; power < 12; power += 0.037)
      for (const width of [250, 800, 2000]) {
        const view = { start_ns: 0, end_ns: Math.round(10 ** power) };
        const { unit, step, major } = ticks(view, width);
        expect(rangeText(view, "auto")).toContain(` ${unit.label} (`);
        expect(new Set(major.map((time) => tickText(time, step, unit))).size).toBe(major.length);
      }
  });

  test("a trace of less than a millisecond is told in microseconds, unless wished otherwise", () => {
    const wishOf = (end_ns: number, time_unit?: string) => {
      const layout = { ...LAYOUT, start_ns: 0, end_ns };
      const session = { get: () => time_unit } as never;
      return positionChoice({ session }, { state: { layout } as never });
    };
    expect(wishOf(999_999)).toBe("us");
    expect(wishOf(1_000_000)).toBe("auto");
    expect(wishOf(999_999, "ms")).toBe("ms");
    const text = (end_ns: number) => rangeText({ start_ns: 0, end_ns }, "us");
    expect(text(10_000)).toBe("0.00 to 10.00 µs (10.00 µs)");
    expect(text(600)).toBe("0.000 to 0.600 µs (600 ns)");
    expect(formatAt(3210, 10_000, "us")).toBe("3 µs");
  });
});

describe("text", () => {
  test("positions keep the decimals that tell neighbours apart", () => {
    expect(formatAt(427.166 * MS, 60_000)).toBe("427.166 ms");
    expect(formatAt(425.6 * MS, 60_000)).toBe("425.600 ms");
    expect(formatAt(123_456_789, 10)).toBe("123,456.789 µs");
    expect(formatAt(3, 10 * MS)).toBe("0 ms");
  });

  test("lengths have four digits and the unit that suits them", () => {
    const spans: [number, string][] = [
      [0, "0 ns"],
      [999, "999 ns"],
      [1000, "1.000 µs"],
      [12_345, "12.35 µs"],
      [448_000, "448.0 µs"],
      [999_949, "999.9 µs"],
      [999_951, "1.000 ms"],
      [3.921 * MS, "3.921 ms"],
      [1.0656e9, "1.066 s"],
      [3600e9, "3,600 s"],
    ];
    for (const [ns, text] of spans) expect(formatSpan(ns)).toBe(text);
  });
});
