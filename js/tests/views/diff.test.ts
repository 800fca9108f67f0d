/** The texts and the scale of differences, and the choice of a baseline. */
import { describe, expect, test } from "vitest";
import { cellText } from "../../src/table/grid/cells";
import { chooseTimeUnit } from "../../src/values/format";
import { noiseText, signedPercent, signedTime, verdict } from "../../src/views/diff/numbers";
import { scaleOf } from "../../src/views/diff/waterfall";

describe("texts of differences", () => {
  const ms = chooseTimeUnit([5000], "ms");

  test("have a sign, except where they are tiny or zero", () => {
    expect(signedTime(1500, ms)).toBe("+1.5");
    expect(signedTime(-1500, ms)).toBe("-1.5");
    expect(signedTime(0, ms)).toBe("0.0");
    expect(signedTime(-1, ms)).toBe("≈ 0");
    expect(signedTime(1, ms)).toBe("≈ 0");
    expect(signedPercent(-0.02)).toBe("≈ 0 %");
    expect(signedPercent(null)).toBe("–");
    expect(signedPercent(12.34)).toBe("+12.3 %");
    expect(noiseText(0.44)).toBe("± 0.4 %");
  });

  test("say whether a change is more than noise", () => {
    expect(verdict("same", true)).toBe("within the noise");
    expect(verdict("same", false)).toBe("no difference");
    expect(verdict("up", true)).toBe("slower");
  });

  test("columns of differences have a sign", () => {
    const spec = {
      key: "delta_us",
      label: "",
      kind: "time",
      unit: "us",
      meaning: "",
      width: 80,
    } as const;
    const units = new Map([["delta_us", ms]]);
    expect(cellText({ ...spec, signed: true }, 1500, units)).toBe("+1.5");
    expect(cellText({ ...spec, signed: true }, 1, units)).toBe("≈ 0");
    expect(cellText({ ...spec, signed: true }, -1500, units)).toBe("-1.5");
    expect(cellText(spec, 1500, units)).toBe("1.5");
  });
});

describe("the scale of the waterfall", () => {
  const bar = (kind: "baseline" | "change" | "candidate", from_us: number, to_us: number) => ({
    kind,
    from_us,
    to_us,
  });

  test("starts at 0 where the changes are large", () => {
    const bars = [bar("baseline", 0, 10), bar("change", 10, 100), bar("candidate", 0, 100)];
    expect(scaleOf(bars)).toEqual({ from: 0, to: 100 });
  });

  test("starts close to small changes", () => {
    const bars = [bar("baseline", 0, 1000), bar("change", 1000, 1010), bar("candidate", 0, 1010)];
    expect(scaleOf(bars)).toEqual({ from: 998.5, to: 1010 });
  });

  test("has a length without any change", () => {
    expect(scaleOf([])).toEqual({ from: 0, to: 1 });
    expect(scaleOf([bar("baseline", 0, 0), bar("candidate", 0, 0)])).toEqual({ from: 0, to: 1 });
    expect(scaleOf([bar("baseline", 0, 5), bar("candidate", 0, 5)])).toEqual({ from: 0, to: 5 });
  });
});
