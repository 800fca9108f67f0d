/** The keyboard shortcuts of the timeline; keys with Ctrl, ⌘ or Alt are not handled. */
import type { Controller } from "../../state/controller";
import type { Direction } from "../hittest";
import type { KeyQueue } from "./keyqueue";

/** How much one press zooms and moves. */
const ZOOM = 1.25;
const PAN = 0.1;

export interface KeyTargets {
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

/** Where letters are typed, and where arrow keys and Enter do something else. */
const FIELDS = "input:not([type=checkbox]), select, textarea";
const ACTING = "button, a, input, .nbp-tl-scroll";
const CANVASES = ".nbp-tl-frame";

/**
 * Handle a key that was pressed anywhere in the timeline; return whether it was one of the
 * timeline's, which stops its propagation.
 */
export function pressed(
  event: KeyboardEvent,
  timeline: Controller,
  targets: KeyTargets,
  queue: KeyQueue,
): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const { key, shiftKey } = event;
  const target = event.target as HTMLElement | null;
  if (target?.closest?.(FIELDS)) return false;
  const step = STEPS[key];
  const elsewhere = !target?.closest?.(CANVASES) || target.closest(ACTING) !== null;
  if (elsewhere && (step || key === "Enter" || key === " ")) return false;
  if (key === "Escape") {
    queue.clear();
    return timeline.clear();
  }
  if (step) {
    const act = () => (shiftKey ? timeline.extendArea(step) : targets.step(step));
    queue.press(act, () => !timeline.pending.window);
    return true;
  }
  const name = key.length === 1 ? key.toLowerCase() : key;
  const act = actions(timeline, targets)[name];
  if (!act) return false;
  queue.press(
    () => act(event),
    () =>
      !(FOLLOWING.has(name) && timeline.pending.details) &&
      !(name === "n" && timeline.pending.match),
  );
  return true;
}

/** The keys that need the details of the selected slice. */
const FOLLOWING = new Set(["[", "]", "q", "l", "k", "b", "c"]);

type Act = (event: KeyboardEvent) => unknown;

function actions(timeline: Controller, targets: KeyTargets): Record<string, Act> {
  const back = () => timeline.state.details?.follow.some(({ kind }) => kind === "forward");
  return {
    w: () => timeline.zoom(ZOOM),
    s: () => timeline.zoom(1 / ZOOM),
    a: () => timeline.pan(-PAN),
    d: () => timeline.pan(PAN),
    f: () => timeline.zoomToSelection(),
    "0": () => timeline.fit(),
    m: () => timeline.toggleMeasure(),
    t: () => timeline.notes.begin(),
    "/": () => targets.focusSearch(),
    n: (event) => timeline.findNext(event.shiftKey ? -1 : 1),
    "[": () => timeline.follow("operator"),
    q: () => timeline.follow("queue"),
    l: () => timeline.follow("launch"),
    k: () => timeline.follow("kernel"),
    b: () => timeline.follow(back() ? "forward" : "backward"),
    c: () => timeline.follow("counterpart"),
    "]": () => timeline.follow("next"),
    Enter: () => (timeline.state.measuring ? timeline.measureSelected() : timeline.filterToArea()),
    "?": () => timeline.toggleHelp(),
  };
}
