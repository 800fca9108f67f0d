/** `Controller`: the state of the timeline, and every action that changes it. */
import type { Context } from "../../../core/context";
import { namesOf, namesPattern } from "../../../core/state/selecting";
import { untracked } from "../../../core/state/signals";
import type { Key, LaneArrangement } from "../../../core/state/traits";
import type { Layout, SliceDetails, SliceRef } from "../data/messages";
import { canFind } from "../data/outline";
import { TimelineRequests } from "../data/requests";
import { LevelStore } from "../data/store";
import { formatSpan } from "../drawing/ticks";
import { Notes } from "../notes/notes";
import type { Direction } from "../stage/hittest";
import { areaOf, extended } from "../stage/keys/rangekeys";
import { filterToArea } from "./areafilter";
import * as camera from "./camera";
import { FlowArrows } from "./flows";
import { CLEARED, NOTHING, StateHolder } from "./holder";
import { Arranger, inSight } from "./lanes/arranger";
import { laneAt } from "./lanes/placement";
import { scopeOf } from "./scope";
import { Finder } from "./search";
import { noteName, Selector } from "./selection";
import { TraitLink } from "./traits";
import type { Area, Hit, Minimap, Timeline, TimelineState, View } from "./types";

export class Controller implements Timeline {
  readonly lanes: Arranger;
  readonly store: LevelStore;
  readonly requests: TimelineRequests;
  readonly flows: FlowArrows;
  readonly notes: Notes;
  /** The area that is being drawn. */
  draft: Area | null = null;
  /** Whether the second end of the measure still follows the pointer. */
  measureOpen = false;
  /** Called after a link in a table has led to the timeline. */
  onShown: () => void = () => {};
  /** Called with a short message to show. */
  onNote: (text: string) => void = () => {};
  #state: StateHolder;
  #finder: Finder;
  #selector: Selector;
  #traits: TraitLink;
  #scope = "";

  constructor(private readonly ctx: Context) {
    const { session, signal } = ctx;
    this.#state = new StateHolder(signal);
    this.requests = new TimelineRequests(ctx, this.#state, () => this.#isOver);
    this.lanes = new Arranger(
      this.#state,
      () => session.get("filter") ?? {},
      (lanes) => this.#traits.writeLanes(lanes),
    );
    this.store = new LevelStore(
      (request) => this.requests.slices(request),
      () => this.#state.changed(),
      signal,
    );
    this.flows = new FlowArrows(this.#state, this.requests, this.lanes, signal);
    this.#finder = new Finder(this.#state, this.requests, (target) => this.goTo(target));
    this.#selector = new Selector(this.#state, this.requests, {
      lanes: () => this.lanes.rows.lanes,
      locate: (slice) => this.store.locate(slice),
      write: (keys) => this.#traits.writeSelection(keys),
      reveal: (target) => this.#reveal(target),
      announce: (text) => ctx.announce(text),
    });
    this.notes = new Notes(session, this.#state, this, this.#selector);
    const follows = {
      setView: (view: View) => this.#state.set({ view }),
      setSearch: (text: string) => this.#finder.set(text),
      setLanes: (lanes: LaneArrangement) => this.lanes.take(lanes),
      setSelection: (keys: readonly Key[]) =>
        void this.#selector.take(keys, namesPattern(session, namesOf(keys))),
    };
    this.#traits = new TraitLink(session, follows, signal);
    this.subscribe(() => this.#need());
    this.subscribe(() => noteName(session, this.state));
  }

  get state(): TimelineState {
    return this.#state.now;
  }

  subscribe(listener: () => void): void {
    this.#state.subscribe(listener);
  }

  /** The whole trace as a window. */
  get trace(): View {
    const { layout } = this.state;
    if (!layout) return NOTHING.view;
    const { start_ns, end_ns } = layout;
    return camera.clamp({ start_ns, end_ns }, { start_ns, end_ns });
  }

  /**
   * Switch to another trace or another grouping.
   *
   * @param trace - identifies the trace; the window is kept while it is the same
   */
  setLayout(layout: Layout, minimap: Minimap | null, trace: string): void {
    const other = trace !== this.#scope;
    const whole = camera.sameView(this.state.view, this.trace);
    this.#scope = trace;
    this.#finder.forget();
    this.#state.set({ ...CLEARED, layout, minimap });
    if (other || whole) this.#state.set({ view: this.trace });
    this.lanes.fold();
    this.#traits.forget(other);
    this.update();
  }

  /** Apply changes of the traits. */
  update(): void {
    const layout = this.#state.layout.value;
    if (!layout || this.#isOver) return;
    const { session } = this.ctx;
    const { values } = this.#traits;
    const { state } = session;
    const finds = canFind(session);
    const shown = layout.group_by === session.get("group_by");
    untracked(() => {
      this.lanes.update();
      this.#traits.take(values, this.trace);
      if (finds) this.#finder.count([state, layout.group_by]);
      if (session.wantsFirstMatch && shown) {
        session.wantsFirstMatch = false;
        this.#finder.first();
        this.onShown();
      }
      this.#state.changed();
    });
  }

  /** Repeat the requests that failed. */
  retry(): void {
    this.#finder.forget();
    this.#selector.readAgain();
    this.store.retry();
    this.update();
  }

  /** The layout; readers are notified only when it changes. */
  get layout(): Layout | null {
    return this.#state.layout.value;
  }

  setLeftOut(leftOut: string): void {
    untracked(() => leftOut !== this.state.leftOut && this.#state.set({ leftOut }));
  }

  setView(view: View): void {
    const next = camera.clamp(view, this.trace);
    if (camera.sameView(next, this.state.view)) return;
    this.#state.set({ view: next });
    this.#traits.writeWindow(next, this.trace);
  }

  zoom(factor: number, at_ns?: number): void {
    const { view } = this.state;
    const at = at_ns ?? (view.start_ns + view.end_ns) / 2;
    this.setView(camera.zoomAt(view, this.trace, factor, at));
  }

  pan(share: number): void {
    const { view } = this.state;
    this.setView(camera.panBy(view, this.trace, share * camera.span(view)));
  }

  fit(): void {
    this.setView(this.trace);
  }

  zoomToSelection(): void {
    const { range } = this.#selector;
    if (range) this.zoomTo(range);
    else this.onNote("Select a slice or a range first");
  }

  /** Show a range with a margin. */
  zoomTo({ start_ns, end_ns }: View): void {
    this.setView(camera.around(start_ns, end_ns, this.trace));
  }

  goTo(target: SliceRef): void {
    this.#reveal(target);
    this.select(target);
  }

  select(target: SliceRef | null, block: Hit | null = null): void {
    this.#selector.select(target, block);
  }

  selectArea(area: Area | null): void {
    this.draft = null;
    this.#selector.selectArea(area);
  }

  /** Grow or shrink the selected area; without one, start from the selected slice. */
  extendArea(direction: Direction): void {
    const { area, selected, view } = this.state;
    const { rows } = this.lanes;
    const shown = selected && rows.laneOfRow(selected.row);
    const begun = area ?? (shown ? areaOf(selected, laneAt(shown, selected.row).key) : null);
    const next = extended(begun, direction, view, this.trace, rows.lanes);
    if (next) this.selectArea({ start_ns: next.start_ns, end_ns: next.end_ns, lanes: next.lanes });
  }

  /** Show an area that is not selected yet. */
  setDraft(area: Area | null): void {
    this.draft = area;
    this.#state.changed();
  }

  filterToArea(): void {
    filterToArea(this.ctx, this.state.area);
  }

  setSearch(text: string): void {
    this.#finder.set(text);
    this.#traits.writeSearch(text);
    this.update();
  }

  findNext(direction: 1 | -1): void {
    this.#finder.next(direction);
  }

  follow(kind: SliceDetails["follow"][number]["kind"]): void {
    const { selected, details } = this.state;
    const found = details?.follow.find((entry) => entry.kind === kind);
    if (found) this.goTo(found.target);
    else if (selected && !details) this.onNote("Its arrows are not known");
    else if (selected) this.onNote(`No ${kind === "next" ? "next call" : kind} to go to`);
    else this.onNote("Select a slice first");
  }

  toggleMeasure(): void {
    const measuring = !this.state.measuring;
    this.measureOpen = false;
    this.#state.set({ measuring, measure: null });
    this.ctx.announce(measuring ? "Measuring: click two places" : "Measuring ended");
  }

  /**
   * Show a measure.
   *
   * @param open - whether its second end still follows the pointer
   */
  setMeasure(measure: { from_ns: number; to_ns: number }, open: boolean): void {
    this.measureOpen = open;
    this.#state.set({ measure });
    if (open) return;
    const length = Math.abs(measure.to_ns - measure.from_ns);
    this.ctx.announce(`Measured ${formatSpan(length)}`);
  }

  /** Measure from the start of the selected slice; the second call ends at the slice then selected. */
  measureSelected(): void {
    const { selected, measure } = this.state;
    if (!selected) this.onNote("Select a slice to measure from");
    else if (measure && this.measureOpen)
      this.setMeasure({ from_ns: measure.from_ns, to_ns: selected.end_ns }, false);
    else this.setMeasure({ from_ns: selected.start_ns, to_ns: selected.start_ns }, true);
  }

  toggleHelp(): void {
    this.#state.set({ helpOpen: !this.state.helpOpen });
  }

  resetLanes(): void {
    this.lanes.reset();
    this.ctx.session.set({ timeline_height: null });
    this.ctx.announce("The lanes are as at first");
  }

  setGroupBy(group_by: string): void {
    if (group_by !== this.state.layout?.group_by) this.ctx.session.set({ group_by });
  }

  /** @param hoverBox - upper and lower edge of the lane under the pointer */
  setHovered(
    hovered: Hit | null,
    pointer: { x: number; y: number } | null,
    hoverBox: { top: number; bottom: number } | null = null,
  ): void {
    if (hovered || pointer || this.state.hovered || this.state.pointer)
      this.#state.set({ hovered, pointer, hoverBox });
  }

  changed(): void {
    this.#state.changed();
  }

  /** Pending requests: details of the selected slice, a match, the content of the window. */
  get pending(): { details: boolean; match: boolean; window: boolean } {
    const { current, error } = this.store;
    const window = !current && !error && this.ctx.session.router.connected;
    return { details: this.#selector.reading, match: this.#finder.searching, window };
  }

  /** Remove help, measure or selection, one per call; return whether there was any. */
  clear(): boolean {
    const { helpOpen, measuring, measure, selected, block, area } = this.state;
    if (this.draft) this.setDraft(null);
    else if (helpOpen) this.#state.set({ helpOpen: false });
    else if (measuring || measure) this.#state.set({ measuring: false, measure: null });
    else if (selected || block || area) this.#selector.clear();
    else return false;
    return true;
  }

  selectionKeys(): Key[] {
    return this.#selector.keys();
  }

  get #isOver(): boolean {
    return this.ctx.session.traceKey !== this.#scope;
  }

  #reveal(target: SliceRef): void {
    this.lanes.revealRow(target.row);
    const { width } = this.lanes.size;
    if (width > 0) this.setView(camera.reveal(this.state.view, this.trace, target, width));
  }

  /** Pass the needs of the screen to the level store. */
  #need(): void {
    const { layout, view, search, named } = this.state;
    const { size } = this.lanes;
    const { session } = this.ctx;
    if (!layout || size.width <= 0 || this.#isOver) {
      this.store.pause(); // nothing is visible, or another trace is loading
      return;
    }
    const marks = JSON.stringify([search || named, session.get("filter")?.name ?? ""]);
    const scope = scopeOf(this.#scope, layout);
    this.store.need({ scope, marks, view, trace: this.trace, ...inSight(this.lanes) });
  }
}
