/** The keyboard shortcuts of the timeline; keys with Ctrl, ⌘ or Alt are not handled. */
import type { Controller } from "../state/controller";
import type { Direction } from "./hittest";

/** How much one press zooms and moves. */
const ZOOM = 1.25;
const PAN = 0.1;

interface KeyTargets {
  focusSearch(): void;
  /** Go to the slice beside the selected one. */
  step(direction: Direction): void;
}

const STEPS: Record<string, Direction> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

/** Handle a key; return whether it was one of the timeline's, which stops its propagation. */
export function pressed(event: KeyboardEvent, timeline: Controller, targets: KeyTargets): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const target = event.target as HTMLElement | null;
  const onButton = target?.closest?.("button, a, input, select, textarea, .nbp-tl-scroll") !== null;
  const step = STEPS[event.key];
  if (onButton && (step || event.key === "Enter" || event.key === " ")) return false;
  if (step) {
    if (event.shiftKey) timeline.extendArea(step);
    else targets.step(step);
    return true;
  }
  const act = actions(timeline, targets)[
    event.key.length === 1 ? event.key.toLowerCase() : event.key
  ];
  if (!act) return false;
  return act(event) !== false;
}

type Act = (event: KeyboardEvent) => unknown;

function actions(timeline: Controller, targets: KeyTargets): Record<string, Act> {
  const back = timeline.state.details?.follow.find(({ kind }) => kind === "forward");
  return {
    w: () => timeline.zoom(ZOOM),
    s: () => timeline.zoom(1 / ZOOM),
    a: () => timeline.pan(-PAN),
    d: () => timeline.pan(PAN),
    f: () => timeline.zoomToSelection(),
    "0": () => timeline.fit(),
    m: () => timeline.toggleMeasure(),
    "/": () => targets.focusSearch(),
    n: (event) => timeline.findNext(event.shiftKey ? -1 : 1),
    "[": () => timeline.follow("operator"),
    q: () => timeline.follow("queue"),
    l: () => timeline.follow("launch"),
    k: () => timeline.follow("kernel"),
    b: () => timeline.follow(back ? "forward" : "backward"),
    "]": () => timeline.follow("next"),
    Enter: () => (timeline.state.measuring ? timeline.measureSelected() : timeline.filterToArea()),
    Escape: () => timeline.clear(),
    "?": () => timeline.toggleHelp(),
  };
}
