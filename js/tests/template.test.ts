/** Charts as templates and data: figures made of both, and data exchanged in place. */
import { describe, expect, it, vi } from "vitest";
import type { FigureModel } from "../src/chart/bokeh";
import { Chart } from "../src/chart/chart";
import {
  exchange,
  figureOf,
  keepTemplate,
  undrawnData,
  withTemplates,
} from "../src/chart/template";
import type { Context } from "../src/core/context";
import { maker } from "../src/core/dom";
import type { TemplateItem } from "../src/core/protocol/protocol";
import { spareUnseen } from "../src/picking/unseen";

function numbers(...values: number[]) {
  const bytes = String.fromCharCode(...new Uint8Array(new Float64Array(values).buffer));
  return { type: "ndarray", array: { type: "bytes", data: btoa(bytes) }, dtype: "float64" };
}

const ROOT = {
  type: "object",
  name: "Figure",
  id: "m1",
  attributes: {
    renderers: [
      {
        type: "object",
        name: "ColumnDataSource",
        id: "m2",
        attributes: { name: "slices", data: { type: "map", entries: [] } },
      },
    ],
    first: { id: "m2" },
  },
};

function itemOf(value: number, settings: Record<string, unknown> = { height: 300 }): TemplateItem {
  return {
    template: "t1",
    version: "0",
    height: 300,
    root: JSON.stringify(ROOT),
    columns: { m2: { name: ["a"], label: ["a"], value: numbers(value), pct: [100] } },
    settings: { m1: settings },
  };
}

/** A drawn figure whose models write down what is set. */
function drawn(indices: number[] = []) {
  const models: Record<string, { setv: ReturnType<typeof vi.fn>; selected: object }> = {};
  for (const id of ["p-m1", "p-m2"]) models[id] = { setv: vi.fn(), selected: { indices } };
  const document = { clear: () => {}, get_model_by_id: (id: string) => models[id] ?? null };
  return { models, model: { document } as FigureModel };
}

describe("a template", () => {
  it("becomes a figure with the data in it, and ids of its own", () => {
    const { doc, root_id } = figureOf(itemOf(1500), "p-");
    const [root] = (doc as { roots: [typeof ROOT & { attributes: { height: number } }] }).roots;
    expect([root_id, root.id, root.attributes.height]).toEqual(["p-m1", "p-m1", 300]);
    expect(root.attributes.first).toEqual({ id: "p-m2" });
    const source = root.attributes.renderers[0];
    expect(source?.id).toBe("p-m2");
    expect(source?.attributes.data).toEqual({
      type: "map",
      entries: [
        ["name", ["a"]],
        ["label", ["a"]],
        ["value", [1500]],
        ["pct", [100]],
      ],
    });
  });

  it("writes what is no number as Bokeh does", () => {
    const { doc } = figureOf(itemOf(Number.NaN), "p-");
    expect(JSON.stringify(doc)).toContain('["value",[{"type":"number","value":"nan"}]]');
  });

  it("reads numbers that JSON lacks", () => {
    const { models, model } = drawn();
    const nan = { type: "number", value: "nan" };
    const after = itemOf(1);
    after.columns.m2 = { value: [1, nan], xs: [[nan, { type: "number", value: "-inf" }], [2]] };
    exchange(model, "p-", itemOf(1), after);
    const [{ data }] = models["p-m2"]?.setv.mock.calls[0] ?? [{}];
    expect(data.value).toEqual([1, Number.NaN]);
    expect(data.xs).toEqual([[Number.NaN, Number.NEGATIVE_INFINITY], [2]]);
    const { doc } = figureOf(after, "p-");
    expect(JSON.stringify(doc)).toContain('["value",[1,{"type":"number","value":"nan"}]]');
  });

  it("is asked for once", () => {
    keepTemplate(itemOf(1));
    expect(withTemplates({ view: "operators" })).toEqual({ view: "operators", templates: ["t1"] });
    const { root, ...known } = itemOf(2);
    expect(figureOf(known, "q-").root_id).toBe("q-m1");
    const unknown = { ...known, template: "t2" };
    expect(() => figureOf(unknown, "q-")).toThrow("not sent");
  });
});

describe("a drawn figure", () => {
  it("gets the data that differs, and no other", () => {
    const { models, model } = drawn();
    exchange(model, "p-", itemOf(1), itemOf(2));
    expect(models["p-m1"]?.setv).not.toHaveBeenCalled();
    const [{ data }] = models["p-m2"]?.setv.mock.calls[0] ?? [{}];
    expect(data.name).toEqual(["a"]);
    expect(Array.from(data.value)).toEqual([2]);
  });

  it("gets settings that differ as Bokeh's models take them", () => {
    const { models, model } = drawn();
    const width = (value: number) => ({ height: 300, width: { type: "value", value } });
    exchange(model, "p-", itemOf(1, width(0.5)), itemOf(1, width(0.25)));
    expect(models["p-m1"]?.setv).toHaveBeenCalledWith({ height: 300, width: { value: 0.25 } });
    expect(models["p-m2"]?.setv).not.toHaveBeenCalled();
  });

  it("is laid out once for another width and height", () => {
    const { models, model } = drawn();
    const size = (width: number, height: number) => itemOf(1, { width, height });
    exchange(model, "p-", size(400, 300), size(900, 140));
    const calls = models["p-m1"]?.setv.mock.calls ?? [];
    expect(calls).toEqual([[{ width: 900 }, { silent: true }], [{ width: 900, height: 140 }]]);
  });

  it("loses its selection, which was one of other rows", () => {
    const { models, model } = drawn([0]);
    exchange(model, "p-", itemOf(1), itemOf(1));
    expect(models["p-m2"]?.selected).toEqual({ indices: [] });
  });
});

describe("the looks of a renderer", () => {
  /** A renderer of BokehJS, as far as looks go; `paint` is called `render` in old versions. */
  function rendererOf(paint: string) {
    type Look = Record<string, (...values: unknown[]) => void>;
    const look = (): Look => ({ set_data: vi.fn(), set_visuals: vi.fn(), [paint]: vi.fn() });
    const [glyph, selection_glyph, nonselection_glyph] = [look(), look(), look()];
    const model = { nonselection_glyph: {} };
    const position = { replace: vi.fn() };
    const update_position = () => position.replace(":host{left:1px}");
    const looks = { glyph, selection_glyph, nonselection_glyph, decimated_glyph: look() };
    return { model, ...looks, position, update_position };
  }

  it.each(["paint", "render"])("are computed only where they differ (%s)", (paint) => {
    const renderer = rendererOf(paint);
    const { glyph, selection_glyph, nonselection_glyph } = renderer;
    const [selected, dimmed] = [selection_glyph.set_data, nonselection_glyph.set_data];
    spareUnseen({ renderer_views: new Map([["r", renderer]]) });
    for (const look of [glyph, selection_glyph, nonselection_glyph]) look.set_data?.("data");
    for (const computed of [glyph.set_data, dimmed]) expect(computed).toHaveBeenCalledTimes(1);
    expect(selected).not.toHaveBeenCalled();
    selection_glyph[paint]?.("context", [1]);
    expect(glyph[paint]).toHaveBeenCalledWith("context", [1]);
  });

  it("have elements with nothing in them, whose style is set once", () => {
    const renderer = rendererOf("paint");
    const { replace } = renderer.position;
    spareUnseen({ renderer_views: new Map([["r", renderer]]) });
    for (const _ of [1, 2, 3]) renderer.update_position();
    expect(replace.mock.calls).toEqual([[":host{display:none}"]]);
  });

  it("keep a style sheet that would be replaced by an equal one", () => {
    const el = document.createElement("style");
    const replace = vi.fn((css: string) => {
      el.textContent = css;
    });
    const position = { el, replace };
    spareUnseen({ renderer_views: new Map([["title", { model: {}, position }]]) });
    for (const css of [":host{top:1px}", ":host{top:1px}", ":host{top:2px}"]) position.replace(css);
    expect(replace.mock.calls).toEqual([[":host{top:1px}"], [":host{top:2px}"]]);
  });

  it("leave figures of other versions alone", () => {
    expect(() => spareUnseen({})).not.toThrow();
    expect(() => spareUnseen({ renderer_views: new Map([["axis", {}]]) })).not.toThrow();
  });
});

describe("a figure that Bokeh may not draw", () => {
  it("still has its numbers", () => {
    const found = undrawnData(itemOf(1.5), "slices");
    const { name, value } = (found?.data ?? {}) as Record<string, ArrayLike<unknown>>;
    expect(name).toEqual(["a"]);
    expect(Array.from(value ?? [])).toEqual([1.5]);
    expect(undrawnData(itemOf(1.5), "steps")).toBeNull();
  });

  it("is shown as a table where the page forbids the script that draws", async () => {
    const { signal } = new AbortController();
    const request = () => Promise.reject(new Error("The page forbids scripts."));
    const ctx = {
      h: maker(signal),
      signal,
      session: { get: () => "auto", router: { request } },
    } as unknown as Context;
    const chart = new Chart(ctx, { title: "Time", source: "slices" });
    await chart.draw(itemOf(1500));
    expect(chart.el.textContent).toContain("could not be drawn");
    expect(chart.el.querySelector<HTMLElement>(".nbp-frame")?.hidden).toBe(false);
    expect(chart.el.querySelector("tbody")?.textContent).toBe("a1.5 ms100.0");
  });
});
