import { describe, expect, test } from "vitest";
import * as camera from "../../src/views/timeline/state/camera";
import type { View } from "../../src/views/timeline/state/types";

const TRACE: View = { start_ns: 0, end_ns: 1_000_000 };
const view = (start_ns: number, end_ns: number): View => ({ start_ns, end_ns });

describe("zoom", () => {
  test("the time at the pointer stays under it", () => {
    const before = view(200_000, 600_000);
    for (const factor of [1.25, 3, 0.8]) {
      const after = camera.zoomAt(before, TRACE, factor, 300_000);
      expect(camera.toX(after, 1000, 300_000)).toBeCloseTo(camera.toX(before, 1000, 300_000), 6);
      expect(camera.span(after)).toBeCloseTo(400_000 / factor, 6);
    }
  });

  test("no further out than the trace, and at its edge the window moves inwards", () => {
    expect(camera.zoomAt(view(0, 500_000), TRACE, 0.1, 100_000)).toEqual(TRACE);
    expect(camera.zoomAt(view(0, 400_000), TRACE, 0.5, 300_000)).toEqual(view(0, 800_000));
  });

  test("no further in than nanoseconds can be told apart", () => {
    let closest = TRACE;
    for (let turn = 0; turn < 200; turn += 1) closest = camera.zoomAt(closest, TRACE, 2, 999_123.5);
    expect(camera.span(closest)).toBe(camera.MIN_SPAN);
  });

  test("nanoseconds stay apart and exact at the end of a trace of an hour", () => {
    const hour = view(0, 3_600_000_000_000);
    const at = hour.end_ns - 1000;
    let closest: View = hour;
    for (let turn = 0; turn < 100; turn += 1) closest = camera.zoomAt(closest, hour, 2, at);
    const [one, next] = [at, at + 1].map((ns) => camera.toX(closest, 1000, ns)) as [number, number];
    expect(next - one).toBeCloseTo(1000 / camera.MIN_SPAN, 3);
    expect(Math.round(camera.toTime(closest, 1000, next))).toBe(at + 1);
  });
});

test("panning stops at the ends of the trace and keeps the length", () => {
  expect(camera.panBy(view(100, 300), TRACE, -500)).toEqual(view(0, 200));
  expect(camera.panBy(view(999_000, 999_800), TRACE, 5000)).toEqual(view(999_200, 1_000_000));
});

test("a trace shorter than the closest window is shown whole", () => {
  const short = view(0, 5);
  expect(camera.clamp(short, short)).toEqual(view(0, camera.MIN_SPAN));
  expect(camera.zoomAt(camera.clamp(short, short), short, 2, 1)).toEqual(view(0, camera.MIN_SPAN));
});

describe("bringing a slice into sight", () => {
  const slice = (start_ns: number, end_ns: number) => ({ slice: 1, row: 0, start_ns, end_ns });
  const seen = view(100_000, 200_000);

  test("one that is seen moves nothing", () => {
    expect(camera.reveal(seen, TRACE, slice(150_000, 151_000), 1000)).toEqual(seen);
  });

  test("one beside the window moves it, without zooming", () => {
    const after = camera.reveal(seen, TRACE, slice(500_000, 510_000), 1000);
    expect(camera.span(after)).toBe(100_000);
    expect((after.start_ns + after.end_ns) / 2).toBe(505_000);
  });

  test("one too thin to be seen is zoomed to", () => {
    const after = camera.reveal(TRACE, TRACE, slice(500_000, 500_010), 1000);
    const wide = camera.toX(after, 1000, 500_010) - camera.toX(after, 1000, 500_000);
    expect(wide).toBeGreaterThan(3);
    expect(wide).toBeLessThan(200);
  });

  test("one longer than the window is shown whole, unless it is on the screen", () => {
    const whole = camera.reveal(seen, TRACE, slice(300_000, 700_000), 1000);
    expect(whole.start_ns).toBeLessThan(300_000);
    expect(whole.end_ns).toBeGreaterThan(700_000);
    expect(camera.reveal(seen, TRACE, slice(50_000, 700_000), 1000)).toEqual(seen);
  });
});

describe("the window as a trait", () => {
  test("the whole trace is null, both ways", () => {
    expect(camera.toTrait(TRACE, TRACE)).toBeNull();
    expect(camera.fromTrait(null, TRACE)).toEqual(TRACE);
  });

  test("whole nanoseconds come back from microseconds as they were", () => {
    const long = view(0, 9_000_000_000_000);
    for (const start of [1, 333, 7_654_321_987_651]) {
      const before = view(start, start + 12_345);
      expect(camera.fromTrait(camera.toTrait(before, long), long)).toEqual(before);
    }
  });

  test("what lies outside of the trace is moved into it", () => {
    expect(camera.fromTrait([-10, 100], TRACE)).toEqual(view(0, 110_000));
  });
});
