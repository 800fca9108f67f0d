/** Loads BokehJS from Python, once per page and without a network, and draws figures with it. */

import type { FigureItem } from "../core/protocol/protocol";
import type { Router } from "../core/protocol/router";
import { runScript } from "../core/scripts/runscript";
import type { Renderers } from "../picking/unseen";

export interface Signal {
  connect(slot: () => void): void;
}

export interface Source {
  name: string | null;
  data: Record<string, ArrayLike<unknown>> | Map<string, ArrayLike<unknown>>;
  selected: { indices: number[]; properties: { indices: { change: Signal } } };
}

export interface FigureModel {
  renderers?: { data_source?: Source }[];
  toolbar?: unknown;
  document?: {
    clear(): void;
    is_idle?: boolean;
    idle?: Signal;
    get_model_by_id?(id: string): object | null;
  } | null;
}

interface FigureView extends Renderers {
  model: FigureModel;
  /** Draw the figure again, into a new element. */
  export?(type: "svg", hidpi: boolean): { canvas: Element };
  remove(): void;
}

interface Bokeh {
  version: string;
  embed: { embed_item(item: FigureItem, target: HTMLElement): Promise<unknown> };
}

type Page = typeof globalThis & {
  Bokeh?: Bokeh;
  __nbprofBokeh?: Map<string, Promise<Bokeh>>;
};

const LONGEST_PAINT = 1000;

/** Return BokehJS of a version; the first caller on a page loads it. */
export function loadBokeh(router: Router, version: string): Promise<Bokeh> {
  const page = globalThis as Page;
  page.__nbprofBokeh ??= new Map();
  let loading = page.__nbprofBokeh.get(version);
  if (!loading) {
    const there = page.Bokeh;
    loading = there?.version === version ? Promise.resolve(there) : fetchBokeh(router);
    page.__nbprofBokeh.set(version, loading);
    loading.catch(() => page.__nbprofBokeh?.delete(version));
  }
  return loading;
}

async function fetchBokeh(router: Router): Promise<Bokeh> {
  const page = globalThis as Page;
  const before = page.Bokeh;
  const { buffers } = await router.request("bokehjs");
  for (const script of buffers) await runScript(script);
  const loaded = page.Bokeh;
  if (!loaded) throw new Error("BokehJS did not start.");
  // If the page had another version before, its figures still use it: restore it.
  if (before && before !== loaded) page.Bokeh = before;
  return loaded;
}

/** A drawn figure. */
export interface Drawn {
  model: FigureModel;
  view?: FigureView;
  remove(): void;
}

export async function drawFigure(
  bokeh: Bokeh,
  item: FigureItem,
  target: HTMLElement,
): Promise<Drawn> {
  const views = rootViews(await bokeh.embed.embed_item({ ...item, target_id: null }, target));
  const first = views[0];
  if (!first) throw new Error("BokehJS drew no figure.");
  await painted(first.model);
  skipWithTab(target);
  return {
    model: first.model,
    view: first,
    remove: () => {
      for (const view of views) {
        view.model.document?.clear();
        view.remove();
      }
    },
  };
}

/** Keys do nothing on a chart, so Tab skips it; keyboard users have its table. */
function skipWithTab(target: ParentNode): void {
  forEachInside(target, (element) => {
    if (element.tabIndex >= 0) element.tabIndex = -1;
  });
}

/** Hide the tooltips of figures: tell BokehJS that the pointer is elsewhere. */
export function hideTips(target: ParentNode): void {
  const look = { pointerType: "mouse", isPrimary: true, clientX: -1e4, clientY: -1e4 };
  forEachInside(target, (element) => {
    if (element.classList.contains("bk-events"))
      element.dispatchEvent(new PointerEvent("pointermove", look));
  });
}

/**
 * Wipe the outermost pixels of a figure that has got another size.
 *
 * BokehJS shifts its canvas by half a pixel before it clears it, so the first row and column of
 * pixels are only half cleared. After a change of size, traces of the old texts would stay there.
 */
export function wipeEdges(target: ParentNode): void {
  forEachInside(target, (element) => {
    const brush = element instanceof HTMLCanvasElement ? element.getContext("2d") : null;
    brush?.clearRect(0, 0, element.clientWidth * devicePixelRatio, 2);
    brush?.clearRect(0, 0, 2, element.clientHeight * devicePixelRatio);
  });
}

function forEachInside(root: ParentNode, act: (element: HTMLElement) => void): void {
  for (const element of root.querySelectorAll<HTMLElement>("*")) {
    act(element);
    if (element.shadowRoot) forEachInside(element.shadowRoot, act);
  }
}

/** Wait for the first paint, so that the previous figure can be removed without a gap. */
function painted({ document: owner }: FigureModel): Promise<void> {
  return new Promise((resolve) => {
    if (!owner?.idle || owner.is_idle) return resolve();
    const timer = setTimeout(resolve, LONGEST_PAINT);
    owner.idle.connect(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** BokehJS returns a view manager; older versions an array or a plain object. */
function rootViews(answer: unknown): FigureView[] {
  if (Array.isArray(answer)) return answer as FigureView[];
  const roots = (answer as { roots?: Iterable<FigureView> }).roots;
  if (roots) return [...roots];
  return Object.values(answer as Record<string, FigureView>);
}

/** Find the data source of a figure by the name that Python gave it. */
export function findSource(model: FigureModel, name: string): Source | undefined {
  for (const renderer of model.renderers ?? []) {
    if (renderer.data_source?.name === name) return renderer.data_source;
  }
  return undefined;
}

/** Find the data sources whose glyph names match, each once. */
export function findSources(model: FigureModel, name: RegExp): Source[] {
  const sources = (model.renderers ?? []).map((renderer) => renderer.data_source);
  return [...new Set(sources)].filter((one): one is Source => name.test(one?.name ?? ""));
}

export function sourceColumn(source: Source, name: string): unknown[] {
  const { data } = source;
  const values = data instanceof Map ? data.get(name) : data[name];
  return values ? Array.from(values) : [];
}
