/** The canvases of the timeline, minimap, ruler and lanes, redrawn when something has changed. */

import type { Palette } from "../../../canvas/palette";
import { readPalette } from "../../../canvas/palette";
import type { Context } from "../../../core/context";
import { setAttributes } from "../../../core/dom";
import { fullScreenOf } from "../../../core/fullscreen";
import { untracked } from "../../../core/state/signals";
import { Layer } from "../../../drawing/layer";
import { formatDuration, plural } from "../../../values/format";
import { paintLanes } from "../drawing/paint";
import { paintRuler } from "../drawing/ruler";
import { positionChoice, positionUnit } from "../drawing/ticks";
import { noteAt, paintNoteFlags } from "../notes/paintnotes";
import { rangeText } from "../panes/positiontext";
import { span } from "../state/camera";
import type { Controller } from "../state/controller";
import { bandBottom } from "../state/lanes/placement";
import { scaleOf } from "../state/scale";
import { sceneOf } from "../state/scene";
import type { Hit, Placed, PlacedLane, Scene } from "../state/types";
import { EmptyLanes } from "./emptylanes";
import { Gutter } from "./gutter";
import { HiddenBelow } from "./hiddenbelow";
import { type Direction, hitTest, neighbour, placedAt } from "./hittest";
import { LanesHeight, LEAST_HEIGHT } from "./lanesheight";
import { paintMinimap } from "./minimap";
import { MinimapPointer } from "./minimappointer";
import { Pointer } from "./pointer";
import { watchScreen } from "./screen";
import { SCROLLER_WIDTH, Scroller } from "./scroller";
import { Toast } from "./toast";
import { turnOf } from "./wheel";

const GUTTER = { wide: 176, mid: 176, narrow: 88 };
const MINIMAP_HEIGHT = 44;
const RULER_HEIGHT = 40;
const BORDERS = 2;

export class Stage {
  readonly el: HTMLElement;
  #minimap: Layer;
  #ruler: Layer;
  #lanes: Layer;
  /** Heads and canvas of the lanes. */
  readonly lanes: HTMLElement;
  #gutter: Gutter;
  #empty: EmptyLanes;
  #below: HiddenBelow;
  #scroller: Scroller;
  #facts: HTMLElement;
  #unit: HTMLElement;
  #height: LanesHeight;
  #palette: Palette | null = null;
  #frame = 0;
  #left = 0;
  #seen = true;
  /** Whether the lanes take the focus once they are drawn. */
  #takesFocus = false;

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Controller,
  ) {
    const { h, id, signal } = ctx;
    this.#minimap = new Layer(ctx, { role: "img", "aria-label": "Whole trace" });
    this.#ruler = new Layer(ctx, { "aria-hidden": true });
    this.#lanes = new Layer(ctx, {
      id: `${id}-tl-canvas`,
      role: "application",
      "aria-label": "Timeline",
      "aria-roledescription": "timeline",
      tabindex: 0,
    });
    this.#gutter = new Gutter(ctx, timeline);
    this.#below = new HiddenBelow(ctx, timeline.lanes, () => this.focus());
    this.#scroller = new Scroller(ctx, timeline.lanes);
    this.#facts = h("div", { class: "nbp-label" });
    this.#unit = h("div", { class: "nbp-label" });
    const notes = h("div", { class: "nbp-tl-notes" });
    const note = new Toast(ctx);
    timeline.onNote = (text) => note.say(text);
    this.#empty = new EmptyLanes(ctx, timeline, notes);
    this.lanes = h(
      "div",
      { class: "nbp-tl-lanes" },
      this.#gutter.el,
      this.#gutter.bands, // under the canvas, so that arrows go over them
      this.#lanes.el,
      notes,
      this.#below.el,
      note.el,
      this.#scroller.el,
    );
    const height = () => timeline.lanes.size.height;
    this.#height = new LanesHeight(ctx, height, () => this.request());
    addEventListener("resize", () => this.request(), { signal });
    const head = (title: string, small: HTMLElement) =>
      h("div", { class: "nbp-tl-gutter" }, h("div", {}, title), small);
    this.el = h(
      "div",
      { class: "nbp-tl-frame" },
      h("div", { class: "nbp-tl-minimap" }, head("Whole trace", this.#facts), this.#minimap.el),
      h("div", { class: "nbp-tl-ruler" }, head("Steps", this.#unit), this.#ruler.el),
      this.lanes,
      this.#height.grip.el,
    );
    this.#listen(signal);
    timeline.subscribe(() => this.request());
    timeline.onShown = () => {
      this.focus(); // at once, so that no key is lost, or with the next frame where it is not shown
      this.#takesFocus = true;
    };
    h.on(notes, { click: () => this.focus() }); // the link disappears with the note
    watchScreen(this.el, signal, (seen) => {
      this.#seen = seen;
      this.request();
    });
    signal.addEventListener("abort", () => cancelAnimationFrame(this.#frame), { once: true });
  }

  /** Read what a frame depends on besides the timeline's state: theme, width, filter and unit. */
  update(): void {
    const { ctx } = this;
    this.#palette = readPalette(ctx.root, ctx.theme());
    for (const trait of ["filter", "time_unit", "notes", "timeline_height"] as const)
      ctx.session.get(trait);
    void [ctx.room(), ctx.width(), this.timeline.layout, fullScreenOf(ctx).shown.value];
    untracked(() => this.#resize());
    this.request();
  }

  /** Schedule drawing with the next animation frame. */
  request(): void {
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (!this.ctx.signal.aborted) this.#draw();
    });
  }

  focus(): void {
    this.#lanes.canvas.focus({ preventScroll: true });
  }

  #listen(signal: AbortSignal): void {
    const { timeline } = this;
    const width = () => this.#lanes.width;
    new Pointer(
      this.#lanes.canvas,
      timeline,
      {
        width,
        hit: (x, y) => this.#hit(x, y),
        box: (y) => this.#boxAt(y),
        click: ({ y }) => this.#clickBand(y),
        lanes: (one, other) => {
          const found = timeline.lanes.lanesBetween(one, other);
          return found.length ? found.map((lane) => lane.key) : null;
        },
      },
      signal,
    );
    const ruler = {
      width,
      hit: () => null,
      box: () => null,
      click: ({ x }: { x: number }) => this.#clickFlag(x),
      lanes: () => [],
    };
    new Pointer(this.#ruler.canvas, timeline, ruler, signal);
    new MinimapPointer(this.#minimap.canvas, timeline, () => this.#minimap.width, signal);
    // Beside the canvas, zooming would zoom the whole page.
    const keep = (event: WheelEvent) => turnOf(event) && event.preventDefault();
    this.el.addEventListener("wheel", keep, { signal, passive: false });
  }

  #scene(): Scene | null {
    return this.#palette && sceneOf(this.ctx, this.timeline, this.#palette);
  }

  #hit(x: number, y: number): Hit | null {
    const scene = this.#scene();
    return scene && hitTest(scene, x, y);
  }

  #at(y: number): Placed | undefined {
    return placedAt(this.timeline.lanes.onScreen, y);
  }

  #boxAt(y: number): { top: number; bottom: number } | null {
    const at = this.#at(y);
    return at ? { top: at.y, bottom: at.y + at.height } : null;
  }

  /** Handle a click on the part of a group's band that is under the canvas. */
  #clickBand(y: number): boolean {
    const at = this.#at(y);
    if (at?.type !== "group") return false;
    this.timeline.lanes.toggleCollapsed(at.group.key);
    return true;
  }

  /** Show the note whose flag on the ruler was clicked. */
  #clickFlag(x: number): boolean {
    const { notes, state, lanes } = this.timeline;
    const found = noteAt(notes.marks, scaleOf(state.view, lanes.size.width), x);
    if (found) notes.edit(found.note);
    return found !== null;
  }

  /** Select the slice beside the selected one; without one, a visible one. */
  step(direction: Direction): void {
    const scene = this.#scene();
    if (!scene) return;
    const { selected } = this.timeline.state;
    const target = selected
      ? neighbour(this.#whole(scene), selected, direction)
      : this.#first(scene);
    if (target) this.timeline.goTo(target);
    else this.timeline.onNote("No slice there");
  }

  /** The scene with all rows, since rows out of sight are neighbours, too. */
  #whole(scene: Scene): Scene {
    return { ...scene, placed: this.timeline.lanes.rows.placed };
  }

  #first(scene: Scene): Hit["slice"] {
    const { width } = scene;
    for (const item of scene.placed) {
      if (item.type !== "lane") continue;
      const y = item.y + item.height / 2 - ((item.depths - 1) * item.rowPitch) / 2;
      for (const share of [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9, 0.02, 0.98]) {
        const hit = hitTest(scene, share * width, y);
        if (hit?.slice) return hit.slice;
      }
    }
    return null;
  }

  #resize(): void {
    const { lanes, state } = this.timeline;
    const room = this.ctx.room();
    if (!this.#seen) lanes.setSize(0, lanes.size.height);
    if (!this.#seen || room === 0 || !state.layout) return;
    const left = GUTTER[this.ctx.width()];
    const height = Math.max(LEAST_HEIGHT, lanes.rows.fitting(this.#height.most(this.lanes)));
    const strip = lanes.rows.height > height ? SCROLLER_WIDTH : 0;
    const width = Math.max(1, room - BORDERS - left - strip);
    this.#left = left;
    this.lanes.style.height = `${height}px`;
    this.#minimap.setSize(width, MINIMAP_HEIGHT);
    this.#ruler.setSize(width, RULER_HEIGHT - 1);
    this.#lanes.setSize(width, height);
    lanes.setSize(width, height);
  }

  #draw(): void {
    this.#resize();
    const { state, store } = this.timeline;
    const { layout } = state;
    const scene = this.#scene();
    if (!scene || !layout || scene.width <= 0) return;
    const { palette, view, area, aligned, steps, width } = scene;
    const unit = positionChoice(this.ctx, this.timeline);
    const pen = this.#lanes.pen();
    if (pen) paintLanes(pen, scene);
    const ruler = this.#ruler.pen();
    const { height } = this.#ruler;
    if (ruler) {
      paintRuler(ruler, { width, height, view, steps, area, aligned, palette, unit });
      paintNoteFlags(ruler, scene.notes ?? [], { view, width, color: palette.accent });
    }
    const map = this.#minimap.pen();
    const { minimap, found } = state;
    if (map && minimap) {
      const matches = found?.columns ?? [];
      const size = { width: this.#minimap.width, height: MINIMAP_HEIGHT };
      paintMinimap(map, { ...size, minimap, layout, view, matches, palette });
    }
    this.#gutter.update(scene.placed);
    const covered = bandBottom(scene.placed);
    this.#empty.update(
      scene.placed.filter((item): item is PlacedLane => item.type === "lane" && item.y >= covered),
      this.#left,
    );
    this.#below.update();
    this.#scroller.update();
    this.#height.grip.update();
    this.#say();
    if (this.#takesFocus) this.focus();
    this.#takesFocus = false;
    setAttributes(this.el, { "aria-busy": store.waiting ? "true" : null });
  }

  #say(): void {
    const { layout, found, search, view } = this.timeline.state;
    if (!layout) return;
    const unit = positionChoice(this.ctx, this.timeline);
    const length = formatDuration((layout.end_ns - layout.start_ns) / 1e3);
    const matches = search && found ? ` · ${plural(found.count, "match", "matches")}` : "";
    write(this.#facts, `${length}${matches}`);
    // Where the toolbar has no room for it, the window is named beside the ruler.
    const [window] = rangeText(view, unit).split(" (");
    const words = `time in ${positionUnit(span(view), unit).label}`;
    write(this.#unit, this.ctx.width() === "mid" ? (window ?? words) : words);
    const { lanes } = this.timeline.lanes.rows;
    const what = `${plural(lanes.length, "lane")}, ${plural(layout.slices, "slice")}`;
    const label = `Timeline, ${rangeText(view, unit)}, ${what}. Press ? for the keys.`;
    if (this.#lanes.canvas.getAttribute("aria-label") !== label)
      this.#lanes.canvas.setAttribute("aria-label", label);
  }
}

function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
