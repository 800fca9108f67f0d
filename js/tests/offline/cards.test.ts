/** Cards that Python describes, and the charts that are drawn of them without Python. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { drawRows } from "../../src/offline/charts/rows";
import type { Part } from "../../src/offline/charts/steps/bars";
import { drawBars } from "../../src/offline/charts/steps/steps";
import { resized } from "../fakewidth";
import { arrow, asked, type FakePython, show } from "../fixtures";

const { default: widget } = await import("../../src/index");

const UNIT = { label: "ms", divisor: 1000, decimals: 1 };
const PARTS: Part[] = [
  { title: "Forward", color: "var(--o-0)", hatched: false, values: [1, 2] },
  { title: "Other", color: "var(--c-other)", hatched: true, values: [3, 0] },
];

const bars = (values: number[]) => ({
  width: 400,
  height: 100,
  shapes: [],
  sources: { bars: { step: values, name: values.map((value) => (value > 4 ? "conv(a)" : "")) } },
  items: { kind: "columns", source: "bars", x: 0, y: 0, inner: 100, outer: 80 } as const,
});

function card(choice: string, more = {}) {
  return {
    name: "stages",
    title: "Stages of each step",
    note: "by <b>stage</b>",
    switches: [
      {
        key: "side",
        label: "Time of",
        options: [
          ["host", "Host"],
          ["device", "Device"],
        ],
      },
    ],
    choice: { side: choice },
    figures: [{ name: "stages", kind: "bars", title: "" }],
    picks: "steps",
    table: "",
    rows: 0,
    of: 2,
    ...more,
  };
}

const NUMBERS = arrow({ step: ["count", [4, 5]], Forward: ["time", [1000, 2000]] });

function opened(more = {}): FakePython {
  const python = show(
    widget,
    { active: "operators" },
    {
      charts: ({ params }) => {
        const choices = (params.choices ?? {}) as Record<string, Record<string, string>>;
        const cards = [card(choices.stages?.side ?? "host", more)];
        return {
          result: { cards, figures: { stages: { drawing: bars([4, 5]) } } },
          buffers: [NUMBERS],
        };
      },
    },
  );
  resized(1000);
  return python;
}

const section = ({ root }: FakePython) => root.querySelector<HTMLElement>(".nbp-cards section");
const press = (at: FakePython, words: string) =>
  [...(section(at)?.querySelectorAll("button") ?? [])]
    .find((button) => button.textContent === words)
    ?.click();

describe("cards", () => {
  let python: FakePython;
  afterEach(() => python.close());

  it("stand under the charts, with their words as text", async () => {
    python = opened();
    await vi.waitFor(() => expect(section(python)?.querySelector("svg")).toBeTruthy());
    expect(section(python)?.querySelector("h3")?.textContent).toBe(
      "Stages of each stepby <b>stage</b>",
    );
    expect(section(python)?.querySelector("b")).toBeNull();
  });

  it("ask Python anew for what is chosen, and keep the button", async () => {
    python = opened();
    await vi.waitFor(() => expect(section(python)).toBeTruthy());
    const before = section(python)?.querySelector("button");
    press(python, "Device");
    await vi.waitFor(() =>
      expect(asked(python, "charts").at(-1)?.params.choices).toEqual({
        stages: { side: "device" },
      }),
    );
    await vi.waitFor(() =>
      expect(section(python)?.querySelector("[aria-pressed=true]")?.textContent).toBe("Device"),
    );
    expect(section(python)?.querySelector("button")).toBe(before);
  });

  it("show their numbers in the place of the chart, with steps to filter to", async () => {
    python = opened();
    await vi.waitFor(() => expect(section(python)?.querySelector("svg")).toBeTruthy());
    press(python, "View as table");
    const cells = [...(section(python)?.querySelectorAll("tbody tr") ?? [])].map((row) =>
      [...row.children].map((cell) => cell.textContent),
    );
    expect(cells).toEqual([
      ["4", "1.0"],
      ["5", "2.0"],
    ]);
    press(python, "5");
    expect(python.model.get("selection")).toEqual([{ step: 5 }]);
    expect(python.model.get("filter")).toEqual({});
    const filter = () =>
      [...python.root.querySelectorAll("button")].find(({ textContent }) =>
        textContent?.startsWith("Filter to step 5"),
      );
    await vi.waitFor(() => expect(filter()).toBeTruthy());
    filter()?.click();
    await vi.waitFor(() => expect(python.model.get("filter")).toEqual({ steps: [5, 5] }));
  });

  it("select the name of a bar, and nothing where there is none", async () => {
    python = opened({ picks: "name" });
    await vi.waitFor(() => expect(section(python)?.querySelector("svg")).toBeTruthy());
    const svg = section(python)?.querySelector("svg") as SVGSVGElement;
    const click = (clientX: number) => {
      for (const type of ["pointerdown", "pointerup"])
        svg.dispatchEvent(new PointerEvent(type, { clientX, button: 0, bubbles: true }));
    };
    click(50);
    expect(python.model.get("selection")).toEqual([]);
    click(150);
    expect(python.model.get("selection")).toEqual([{ name: "conv(a)" }]);
    expect(python.model.get("filter")).toEqual({});
    svg.parentElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    expect(python.model.get("filter")).toEqual({ name: "/^conv\\(a\\)$/" });
    expect(python.model.get("selection")).toEqual([]);
  });

  it("say why there is nothing to show", async () => {
    python = opened({ rows: -1, figures: [], note: "This cannot be filtered without Python." });
    await vi.waitFor(() => expect(section(python)).toBeTruthy());
    expect(section(python)?.textContent).toContain("cannot be filtered without Python");
    expect(section(python)?.querySelector("table, svg")).toBeNull();
    expect([...(section(python)?.querySelectorAll("button") ?? [])].at(-1)?.hidden).toBe(true);
  });

  it("say how many rows a cut table has", async () => {
    python = opened({ of: 1234, table: "user_events", switches: [], choice: {} });
    await vi.waitFor(() => expect(section(python)?.textContent).toContain("2 of 1,234"));
  });
});

describe("bars without Python", () => {
  it("lie under their names, parts one after the other", () => {
    const names = ["conv", null];
    const drawn = drawRows(
      { names, rest: "3 others", totals: [4, 2], parts: PARTS, unit: UNIT, stacked: true },
      480,
    );
    const said = drawn.shapes.flatMap(({ text }) => text ?? []);
    for (const words of ["Forward", "Other", "conv", "3 others", "4.0", "2.0", "ms"])
      expect(said).toContain(words);
    expect(drawn.sources.bars).toEqual({ name: ["conv", ""], muted: [0, 0] });
    const tips = drawn.shapes.flatMap(({ tip }) => tip ?? []);
    expect(tips[0]).toBe("conv\nTotal 4.0 ms\nOther 3.0 ms\nForward 1.0 ms");
    const ends = drawn.shapes.flatMap(({ at }) =>
      [...String(at.d ?? "").matchAll(/M([\d.]+) [\d.]+h([\d.]+)v14/g)].map(
        ([, x, w]) => Number(x) + Number(w),
      ),
    );
    expect(ends).toHaveLength(3);
    expect(Math.max(...ends)).toBeLessThanOrEqual(480);
  });

  it("have a legend where there is no room beside those that stand", () => {
    const made = (width: number) =>
      drawBars(
        {
          numbers: [1, 2],
          totals: [4, 2],
          parts: PARTS,
          complete: [true, true],
          unit: UNIT,
          stacked: true,
          mean: null,
        },
        width,
        "bars",
        true,
      );
    expect(made(400).height - made(700).height).toBe(16);
    expect(made(700).height).toBe(240);
    for (const width of [400, 700])
      expect(made(width).shapes.flatMap(({ text }) => text ?? [])).toContain("Forward");
  });

  it("have their parts side by side where these overlap in time, and no total", () => {
    const lying = { names: ["conv", "relu"], rest: "", totals: [3, 2], parts: PARTS, unit: UNIT };
    const standing = { numbers: [1, 2], totals: [3, 2], complete: [true, true], mean: null };
    const bars = { ...standing, parts: PARTS, unit: UNIT, stacked: false };
    for (const [drawn, box] of [
      [drawRows({ ...lying, stacked: false }, 480), /M[\d.]+ ([\d.]+)h[\d.]+v([\d.]+)/g],
      [drawBars(bars, 700, "bars", true), /M([\d.]+) [\d.]+h([\d.]+)v/g],
    ] as const) {
      const found = drawn.shapes
        .filter(({ look }) => look?.fill !== "none")
        .flatMap(({ at }) => {
          const bars = String(at.d ?? "").replace(/M[^M]+h9v9h-9Z/g, ""); // without the legend
          return [...bars.matchAll(box)];
        })
        .map(([, start, length]) => [Number(start), Number(length)] as const)
        .sort((a, b) => a[0] - b[0]);
      expect(found).toHaveLength(3);
      for (const [index, [start]] of found.entries()) {
        const [before, length] = found[index - 1] ?? [0, 0];
        expect(start).toBeGreaterThanOrEqual(before + length - 0.02);
      }
      expect(drawn.shapes.flatMap(({ tip }) => tip ?? []).join()).not.toContain("Total");
      expect(drawn.shapes.flatMap(({ text }) => text ?? [])).not.toContain("3.0");
    }
  });

  it("begin at the axis where their parts are side by side", () => {
    const lying = { names: ["conv", "relu"], rest: "", totals: [3, 2], parts: PARTS, unit: UNIT };
    const starts = drawRows({ ...lying, stacked: false }, 480)
      .shapes.filter(({ look }) => look?.fill !== "none")
      .map(({ at }) => String(at.d ?? "").replace(/M[^M]+h9v9h-9Z/g, ""))
      .flatMap((bars) => [...bars.matchAll(/M([\d.]+) [\d.]+h/g)].map(([, x]) => Number(x)));
    expect(starts).toHaveLength(3);
    expect(new Set(starts).size).toBe(1);
  });
});
