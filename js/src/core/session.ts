/** What all views of one model share: its traits, the line to Python, and what was read once. */

import type { Answers } from "../offline/answerer";
import type { UnitWish } from "../values/format";
import type { AnyModel, Callback } from "./afm";
import { bytesOf, changedFields, covers, hasBytes, inflate, openSnapshot } from "./alone";
import { FilterHistory } from "./history";
import type { Catalog, Filter, Progress, State, TraceInfo, WireError } from "./protocol";
import { Router } from "./rpc";
import { broughtBy, Scripts } from "./scripts";
import type { ThemeWish } from "./theme";
import type { Shows, ViewInfo } from "./viewinfo";

export type Key = Record<string, string | number | boolean | null>;

export interface Traits {
  run: string;
  worker: string;
  span: number;
  step: string;
  filter: Filter;
  active: string;
  group_by: string;
  selection: Key[];
  time_range: [number, number] | null;
  time_unit: UnitWish;
  theme: ThemeWish;
  views: string[];
  /** What is known of each view before its script is there. */
  tabs: ViewInfo[];
  /** The part of the timeline on screen, in µs; null for all of it. */
  window: [number, number] | null;
  /** What the timeline and the modules view mark, by name. */
  search: string;
  /** Whose memory is shown: the key of a device, "all", or empty for the first. */
  memory_device: string;
  /** What the memory curve is drawn of: operator or component. */
  memory_by: string;
  /** The brushed part of the memory curve, in µs. */
  memory_range: [number, number] | null;
  /** What the width of a frame of the flame graph is: auto, host, device or bytes. */
  flame_by: string;
  /** How its frames stand: left_heavy or time. */
  flame_order: string;
  /** The part of the flame graph on screen, in µs or bytes; null for all of it. */
  flame_range: [number, number] | null;
  /** Arrow stream of `SnapshotInfo`; empty until the timeline was drawn once. */
  timeline_snapshot: DataView | null;
  /** What answers without a kernel; empty until something was shown. See `offline/snapshot.ts`. */
  snapshot: DataView | null;
  /** The scripts that show it, zlib, by name; see `scripts.ts`. */
  _scripts: Record<string, DataView>;
}

const TRAITS: readonly (keyof Traits)[] = [
  "run",
  "worker",
  "span",
  "step",
  "filter",
  "active",
  "group_by",
  "selection",
  "time_unit",
  "theme",
  "views",
  "tabs",
  "window",
  "search",
  "memory_device",
  "memory_by",
  "memory_range",
  "flame_by",
  "flame_order",
  "flame_range",
  "timeline_snapshot",
];

export class Session {
  readonly router: Router;
  readonly history: FilterHistory;
  /** What is run once it is needed. */
  readonly scripts = new Scripts((name) => this.#textOf(name));
  /** The last error that nobody asked for. */
  notice: WireError | null = null;
  /** A table wants the timeline to go to the first slice that its search finds. */
  wantsFirstMatch = false;
  /** Why what was kept for here cannot be used. */
  unreadable = "";
  /** The timeline that was kept with everything else, once that was opened. */
  timelineBytes: Uint8Array | null = null;

  #listeners = new Set<() => void>();
  #catalog: Promise<Catalog> | null = null;
  #traces = new Map<string, Promise<TraceInfo>>();
  #scheduled = false;
  #kept: { trait: object; answers: Promise<Answers | null> } | null = null;
  #answers: Answers | null = null;

  constructor(
    readonly model: AnyModel,
    readonly signal: AbortSignal,
  ) {
    this.router = new Router(model);
    this.router.onConnection = (connected) => {
      if (!connected) void this.open();
      this.changed();
    };
    this.router.onNotice = (error) => {
      this.notice = error;
      this.changed();
    };
    this.history = new FilterHistory(this.get("filter") ?? {});
    this.#hear("msg:custom", ((content: unknown, buffers: DataView[]) =>
      this.router.receive(content, buffers)) as Callback);
    this.#hear("comm_live_update", () => this.#commChanged());
    for (const trait of TRAITS) {
      this.#hear(`change:${trait}`, () => {
        if (trait === "filter") this.history.note(this.get("filter"));
        this.changed();
      });
    }
  }

  get<K extends keyof Traits>(name: K): Traits[K] {
    return this.model.get(name) as Traits[K];
  }

  /** What is to be done where something needs Python. */
  get again(): string {
    return this.model.page ? "Open the profile in a notebook with nbprof." : "Run the cell again.";
  }

  /** What answers without Python, of the trace on screen; null without it. */
  get kept(): Answers | null {
    const answers = this.#answers;
    return answers && JSON.stringify(answers.snapshot.header.key) === this.traceKey
      ? answers
      : null;
  }

  /** Whether everything on screen is answered without Python. */
  get answersAlone(): boolean {
    const { kept } = this;
    return !this.router.connected && kept !== null && covers(kept, this.state.filter);
  }

  /** Why something cannot be done now, as `Answers.lacks` names it; undefined where it can. */
  lacks(what: string): string | undefined {
    if (this.router.connected) return undefined;
    const { kept } = this;
    const why = kept ? kept.lacks(what) : "That needs Python.";
    return why && `${why} ${this.again}`;
  }

  /** Open what was kept for where there is no Python; null where there is nothing to open. */
  open(): Promise<Answers | null> {
    const trait = this.get("snapshot");
    if (!hasBytes(trait)) return Promise.resolve(null);
    if (this.#kept?.trait !== trait) this.#kept = { trait, answers: this.#open(trait) };
    return this.#kept.answers;
  }

  async #open(trait: object): Promise<Answers | null> {
    try {
      const answers = await openSnapshot(trait, this.scripts);
      const timeline = (await answers.snapshot.bytes("timeline")) ?? null;
      if (this.#kept?.trait !== trait) return answers; // a newer one came meanwhile
      this.timelineBytes = timeline;
      this.unreadable = "";
      this.#answers = answers;
      this.router.answerer = answers;
      this.changed();
      return answers;
    } catch (error) {
      this.unreadable = error instanceof Error ? error.message : String(error);
      return null;
    }
  }

  /** Whether a script can be had without Python. */
  hasScript(name: string): boolean {
    return broughtBy(name) !== undefined || hasBytes(this.get("_scripts")?.[name]);
  }

  /** The text of a script: what was kept with the notebook, else from Python. */
  async #textOf(name: string): Promise<Uint8Array> {
    const kept = this.get("_scripts")?.[name];
    if (hasBytes(kept)) return inflate(bytesOf(kept));
    const { buffers } = await this.router.request("script", { script: name });
    return buffers[0] ?? new Uint8Array();
  }

  /** Write traits together, in one message. */
  set(values: Partial<Traits>): void {
    if (values.filter && this.#refused(values.filter)) return;
    for (const [name, value] of Object.entries(values)) this.model.set(name, value);
    try {
      this.model.save_changes();
    } catch {
      this.router.disconnect(); // a comm that is closed throws instead of sending
    }
    this.changed();
  }

  /** Tell why the filter cannot be changed so, without Python. */
  #refused(filter: Filter): boolean {
    if (this.router.connected) return false;
    const fields = changedFields(this.state.filter, filter);
    const why = fields.map((field) => this.lacks(`filter:${field}`)).find(Boolean);
    if (why) {
      this.notice = { type: "NeedsPython", message: why, hint: "", details: "" };
      this.changed();
    }
    return why !== undefined;
  }

  /** Go to the filter that the tables are there for. */
  showKept(): void {
    const filter = this.kept?.snapshot.header.filter;
    if (!filter) return;
    this.model.set("filter", filter);
    this.changed();
  }

  setFilter(changes: { [K in keyof Filter]?: Filter[K] | null }): void {
    const merged = { ...this.get("filter"), ...changes };
    const filter = Object.fromEntries(
      Object.entries(merged).filter(([, value]) => value !== null && value !== undefined),
    ) as Filter;
    this.set({ filter });
  }

  back(): void {
    const filter = this.history.back();
    if (filter) this.set({ filter });
  }

  /** The views that there are tabs for, in their order. */
  get views(): readonly ViewInfo[] {
    const wanted = this.get("views") ?? [];
    const tabs = this.get("tabs") ?? [];
    const known = tabs.filter(({ name }) => wanted.includes(name));
    return known.length ? known : tabs;
  }

  /** The view on screen. */
  get view(): ViewInfo {
    const active = this.get("active");
    const { views } = this;
    return (views.find(({ name }) => name === active) ?? views[0]) as ViewInfo;
  }

  /** The view that shows something on request from elsewhere; undefined without one. */
  viewThatShows(what: Shows): ViewInfo | undefined {
    return this.views.find(({ shows }) => shows === what);
  }

  get state(): State {
    return {
      run: this.get("run") ?? "",
      worker: this.get("worker") ?? "",
      span: this.get("span") ?? 0,
      filter: this.get("filter") ?? {},
      step: this.get("step") ?? "",
    };
  }

  get traceKey(): string {
    const { run, worker, span, step } = this.state;
    return JSON.stringify([run, worker, span, ...(step ? [step] : [])]);
  }

  /** Call back, once for several changes, when anything here has changed. */
  subscribe(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
  }

  changed(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      for (const listener of [...this.#listeners]) listener();
    });
  }

  catalog(): Promise<Catalog> {
    this.#catalog ??= this.#forgetting(
      this.router.request<Catalog>("catalog").then((reply) => reply.result),
      () => {
        this.#catalog = null;
      },
    );
    return this.#catalog;
  }

  /** Look for files again. */
  async refresh(): Promise<void> {
    const { result } = await this.router.request<Catalog>("refresh");
    this.#catalog = Promise.resolve(result);
    this.#traces.clear();
    this.changed();
  }

  /** What the chosen trace holds, whatever the filter. */
  trace(onProgress?: (progress: Progress) => void): Promise<TraceInfo> {
    const key = this.traceKey;
    let info = this.#traces.get(key);
    if (!info) {
      const state = { ...this.state, filter: {} };
      const asked = this.router.request<TraceInfo>(
        "trace",
        { state },
        onProgress ? { onProgress } : {},
      );
      info = this.#forgetting(
        asked.then((reply) => reply.result),
        () => this.#traces.delete(key),
      );
      this.#traces.set(key, info);
    }
    return info;
  }

  /** Forget a promise that failed, so that the next to ask asks anew. */
  #forgetting<T>(promise: Promise<T>, forget: () => void): Promise<T> {
    promise.catch(forget);
    return promise;
  }

  #hear(name: string, callback: Callback): void {
    this.model.on(name, callback);
    this.signal.addEventListener("abort", () => this.model.off(name, callback), { once: true });
  }

  /** The line to the kernel was cut or mended; hosts that hide which are asked by asking Python. */
  #commChanged(): void {
    if ((this.model as { comm_live?: boolean }).comm_live === true) return;
    this.router.disconnect();
    this.router.request("hello").catch(() => {}); // any answer says that the line is there
  }
}
