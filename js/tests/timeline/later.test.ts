/** The second script of the timeline: loaded after the first picture, and lent what it imports. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { loadedExports } from "../../src/core/scripts/scripts";
import { LaterPanes } from "../../src/views/timeline/panes/laterpanes";
import { fakeTimeline } from "./panes/fake";
import { type Stage, stage } from "./panes/stage";

type Page = typeof globalThis & { __nbprofScripts?: Map<string, (core: object) => unknown> };
const page = globalThis as Page;

let on: Stage;
const usual = page.__nbprofScripts;
beforeEach(() => {
  on = stage();
  page.__nbprofScripts = new Map();
});
afterEach(() => {
  on.close();
  page.__nbprofScripts = usual ?? new Map();
});

describe("panes that come later", () => {
  test("appear when the script is there, and are drawn with each change", async () => {
    let bring = (_: unknown) => {};
    on.ctx.session.scripts.load = vi.fn(() => new Promise((resolve) => (bring = resolve))) as never;
    const later = new LaterPanes(on.ctx, fakeTimeline(), on.ctx.root);
    expect(later.menu).toBeNull();
    const pane = { el: document.createElement("p"), update: vi.fn() };
    const menu = { toggle: vi.fn(), update: vi.fn() };
    const heads = { update: vi.fn() };
    const align = { parts: [document.createElement("b")], update: vi.fn() };
    bring({ make: () => ({ panes: [pane], menu, workers: menu, heads, align }) });
    await vi.waitFor(() => expect(later.menu).toBe(menu));
    expect(later.el.contains(pane.el)).toBe(true);
    later.update();
    expect(pane.update).toHaveBeenCalledOnce();
    expect(menu.update).toHaveBeenCalledTimes(2);
    expect(heads.update).toHaveBeenCalledOnce();
    expect(later.bar.contains(align.parts[0] as Node)).toBe(true);
    expect(later.bar.hidden).toBe(true);
  });

  test("say why they are missing, and can be asked for again", async () => {
    const load = vi.fn(() => Promise.reject(new Error("No kernel.")));
    on.ctx.session.scripts.load = load as never;
    const later = new LaterPanes(on.ctx, fakeTimeline(), on.ctx.root);
    await vi.waitFor(() => expect(later.el.textContent).toContain("Error: No kernel."));
    later.el.querySelector("button")?.click();
    expect(load).toHaveBeenCalledTimes(2);
  });
});

test("a second script gets what the first one of its view lends", () => {
  const given = vi.fn(() => ({}));
  page.__nbprofScripts = new Map<string, () => unknown>([
    [`${NBPROF_BUILD}/lender`, () => ({ shared: () => ({ lent: 7 }) })],
    [`${NBPROF_BUILD}/lender.later`, given],
  ]);
  expect(loadedExports("lender.later")).toBeDefined();
  expect(given).toHaveBeenCalledWith({ lent: 7 });
});
