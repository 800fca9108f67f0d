/** `sceneOf`: collects from state, traits and levels everything that one frame of the canvas draws. */

import { CATEGORIES, type Category } from "../../../canvas/categories";
import type { Palette } from "../../../canvas/palette";
import type { Context } from "../../../core/context";
import type { Filter } from "../../../core/protocol/protocol";
import type { SliceRef, Step } from "../data/messages";
import type { Controller } from "./controller";
import { stepsOf } from "./scope";
import type { Hit, Scene, View } from "./types";

/** The categories of each kind in a filter. Steps have none: they cannot be filtered out. */
const KINDS: Record<string, readonly Category[]> = {
  operator: ["operator", "dataloader"],
  annotation: [
    "annotation",
    "device_annotation",
    "dataloader",
    "computing",
    "communicating",
    "free",
  ],
  runtime: ["runtime"],
  python: ["python"],
  module: ["module"],
  kernel: ["kernel", "communication"],
  memcpy: ["memcpy"],
  memset: ["memset"],
  memory: [],
};

export function sceneOf(ctx: Context, timeline: Controller, palette: Palette): Scene {
  const { state, lanes } = timeline;
  const { width, height } = lanes.size;
  const filter = ctx.session.get("filter") ?? {};
  const steps = state.layout?.steps ?? [];
  const known = state.details !== null && state.details.slice === state.selected?.slice;
  return {
    width,
    height,
    view: state.view,
    placed: lanes.onScreen,
    levels: timeline.store.levels,
    palette,
    steps,
    hovered: state.hovered?.slice ?? null,
    selected: state.selected ?? refOfBlock(state.block),
    area: timeline.draft ?? state.area,
    filtered: (key) => filteredView(filter, state.layout ? stepsOf(state.layout, key) : steps),
    stepsOf: (key) => (state.layout ? stepsOf(state.layout, key) : steps),
    dimmedCategories: dimmedCategories(filter),
    measure: state.measure,
    arrows: known ? (state.details?.arrows ?? []) : [],
    flows: state.flows?.size ? (state.flowArrows ?? []) : [],
    aligned: state.layout?.compared,
    searching: (state.search || state.named) !== "",
    notes: timeline.notes.marks,
  };
}

/** A block as a slice reference with an unused number, so that it is outlined like a slice. */
function refOfBlock(block: Hit | null | undefined): SliceRef | null {
  return block?.span ? { ...block.span, slice: -1, row: block.row } : null;
}

/** The steps with the times at which the device worked on them. */
export function onDevice(steps: readonly Step[]): Step[] {
  return steps.flatMap((step) => (step.device ? { ...step, ...step.device } : []));
}

/** The time range that the filter keeps, by its range and its steps. */
function filteredView(filter: Filter, steps: readonly Step[]): View | null {
  let start_ns = Number.NEGATIVE_INFINITY;
  let end_ns = Number.POSITIVE_INFINITY;
  if (filter.time_us) {
    start_ns = filter.time_us[0] * 1e3;
    end_ns = filter.time_us[1] * 1e3;
  }
  const [first, last] = filter.steps ?? [0, 0];
  const within = filter.steps ? steps.filter(({ step }) => step >= first && step <= last) : [];
  if (within.length) {
    const sides = [...within, ...onDevice(within)];
    start_ns = Math.max(start_ns, Math.min(...sides.map((step) => step.start_ns)));
    end_ns = Math.min(end_ns, Math.max(...sides.map((step) => step.end_ns)));
  }
  return Number.isFinite(start_ns) ? { start_ns, end_ns: Math.max(start_ns, end_ns) } : null;
}

function dimmedCategories({ kinds }: Filter): ReadonlySet<number> {
  if (!kinds) return new Set();
  const left = new Set<Category>(["step", ...kinds.flatMap((kind) => KINDS[kind] ?? [])]);
  return new Set(CATEGORIES.flatMap((category, code) => (left.has(category) ? [] : [code])));
}
