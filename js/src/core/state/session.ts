/** `Session`: the state that all views of one model share: traits, connection, cached replies. */

import type { Answers } from "../../offline/answerer";
import { labels } from "../../values/names";
import type { AnyModel, Callback } from "../anywidget";
import { Connection } from "../connection/connection";
import type { Catalog, Filter, Progress, State, TraceInfo, WireError } from "../protocol/protocol";
import { messageOf, Router } from "../protocol/router";
import {
  bytesOf,
  changedFields,
  covers,
  hasBytes,
  inflate,
  openSavedState,
} from "../saved/opening";
import { runInline, runScript } from "../scripts/runscript";
import { loadedExports, Scripts } from "../scripts/scripts";
import type { Shows, ViewInfo } from "../views/viewinfo";
import { sameValue } from "./equality";
import { FileCheck } from "./filecheck";
import { FilterHistory } from "./filterhistory";
import { derived, type Signal, signal, untracked, watch } from "./signals";
import { TRAITS, type Traits } from "./traits";

export class Session {
  readonly router: Router;
  readonly connection: Connection;
  readonly history: FilterHistory;
  /** Scripts that are loaded on demand. */
  readonly scripts: Scripts;
  /** Reports new and changed files; null on exported pages. */
  readonly files: FileCheck | null;
  /** Set by a table, so that the timeline goes to the first slice that the search finds. */
  wantsFirstMatch = false;
  /** The name of the slice that is selected in the timeline; empty for none. */
  sliceName = "";

  readonly #traits: ReadonlyMap<keyof Traits, Signal<unknown>>;
  readonly #notice = signal<WireError | null>(null);
  readonly #unreadable = signal("");
  readonly #answers = signal<Answers | null>(null);
  readonly #state = derived<State>(() => ({
    run: this.get("run") ?? "",
    worker: this.get("worker") ?? "",
    span: this.get("span") ?? 0,
    filter: this.get("filter") ?? {},
    step: this.get("step") ?? "",
    baseline: this.get("baseline"),
    ...(this.refreshed ? { refreshed: this.refreshed } : {}),
  }));
  readonly #traceKey = derived(() => keyOf(this.state));
  readonly #views = derived(() => {
    const wanted = this.get("views") ?? [];
    const tabs = this.get("tabs") ?? [];
    const known = tabs.filter(({ name }) => wanted.includes(name));
    return known.length ? known : tabs;
  });
  readonly #refreshed = signal(0);
  #refreshing = false;
  #catalog: Promise<Catalog> | null = null;
  #traces = new Map<string, Promise<TraceInfo>>();
  #kept: { trait: object; answers: Promise<Answers | null> } | null = null;

  constructor(
    readonly model: AnyModel,
    private readonly life: AbortSignal,
  ) {
    this.scripts = new Scripts((name) => this.#textOf(name), model.page ? runInline : runScript);
    this.router = new Router(model);
    this.router.onNotice = (error) => {
      this.#notice.value = error;
    };
    this.router.onRefreshed = () => {
      if (this.#refreshing) return; // the reply brings the catalog
      this.#catalog = null;
      this.#askAnew();
    };
    this.files = model.page ? null : new FileCheck(this.router, life);
    this.#traits = new Map(TRAITS.map((name) => [name, signal(model.get(name))]));
    this.connection = new Connection(model, this.router, () => this.get("_connection"), life);
    this.history = new FilterHistory(this.get("filter") ?? {});
    this.#hear("msg:custom", ((content: unknown, buffers: DataView[]) =>
      this.router.receive(content, buffers)) as Callback);
    this.#hear("comm_live_update", () => this.connection.changed());
    for (const trait of TRAITS) this.#hear(`change:${trait}`, () => this.#read(trait));
    watch(() => {
      if (!this.router.connected) untracked(() => void this.open());
    }, life);
  }

  get<K extends keyof Traits>(name: K): Traits[K] {
    return this.#traits.get(name)?.value as Traits[K];
  }

  /** Copy a trait into its signal; an equal value notifies nobody. */
  #read(name: keyof Traits): void {
    const value = this.model.get(name);
    const trait = this.#traits.get(name);
    if (!trait || sameValue(trait.peek(), value)) return;
    trait.value = value;
    if (name === "filter") this.history.note((value ?? {}) as Filter);
  }

  /** The last error that belongs to no request. */
  get notice(): WireError | null {
    return this.#notice.value;
  }

  /** Why the saved state cannot be used. */
  get unreadable(): string {
    return this.#unreadable.value;
  }

  /** How to get Python back, as shown where something needs it. */
  get again(): string {
    return this.model.page ? "Open the profile in a notebook with nbprof." : "Run the cell again.";
  }

  /** Answers from the saved state, if it belongs to the trace on screen; else null. */
  get kept(): Answers | null {
    const answers = this.#answers.value;
    return answers && JSON.stringify(answers.saved.header.key) === this.traceKey ? answers : null;
  }

  /** Whether the screen shows the saved state because Python cannot be reached. */
  get answersOffline(): boolean {
    const { kept } = this;
    return !this.router.connected && kept !== null && covers(kept, this.state.filter);
  }

  /** The reason why something, named as in `Answers.lacks`, cannot be done now; undefined if it can. */
  lacks(what: string): string | undefined {
    if (this.router.connected) return undefined;
    const { kept } = this;
    const why = kept ? kept.lacks(what) : "This needs Python.";
    return why && `${why} ${this.again}`;
  }

  /** Open the saved state; null without one. */
  open(): Promise<Answers | null> {
    const trait = this.get("snapshot");
    if (!hasBytes(trait)) return Promise.resolve(null);
    if (this.#kept?.trait !== trait) this.#kept = { trait, answers: this.#open(trait) };
    return this.#kept.answers;
  }

  async #open(trait: object): Promise<Answers | null> {
    try {
      const answers = await openSavedState(trait, this.scripts);
      if (this.#kept?.trait !== trait) return answers; // a newer one has arrived meanwhile
      this.router.answerer = answers;
      this.#unreadable.value = "";
      this.#answers.value = answers;
      return answers;
    } catch (error) {
      this.#unreadable.value = messageOf(error);
      return null;
    }
  }

  /** Whether a script is available without Python. */
  hasScript(name: string): boolean {
    return loadedExports(name) !== undefined || hasBytes(this.get("_scripts")?.[name]);
  }

  /** The text of a script: from the saved notebook, else from Python. */
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
    for (const name of Object.keys(values)) this.#read(name as keyof Traits);
    try {
      this.model.save_changes();
    } catch {
      this.router.disconnect(); // sending on a closed comm throws
    }
  }

  /** Without Python: whether this filter cannot be applied; if so, report why. */
  #refused(filter: Filter): boolean {
    if (this.router.connected) return false;
    const fields = changedFields(this.state.filter, filter);
    const why = fields.map((field) => this.lacks(`filter:${field}`)).find(Boolean);
    if (why) {
      this.#notice.value = { type: "NeedsPython", message: why, hint: "", details: "" };
    }
    return why !== undefined;
  }

  /** Set the filter of the saved tables. */
  showKept(): void {
    const filter = this.kept?.saved.header.filter;
    if (!filter) return;
    this.model.set("filter", filter);
    this.#read("filter");
  }

  /** @param more - other traits that change in the same message */
  setFilter(changes: { [K in keyof Filter]?: Filter[K] | null }, more: Partial<Traits> = {}): void {
    const merged = { ...this.get("filter"), ...changes };
    const filter = Object.fromEntries(
      Object.entries(merged).filter(([, value]) => value !== null && value !== undefined),
    ) as Filter;
    this.set({ filter, ...more });
  }

  back(): void {
    const filter = this.history.back();
    if (filter) this.set({ filter });
  }

  /** The views that have tabs, in order. */
  get views(): readonly ViewInfo[] {
    return this.#views.value;
  }

  /** The view on screen. */
  get view(): ViewInfo {
    const active = this.get("active");
    const { views } = this;
    return (views.find(({ name }) => name === active) ?? views[0]) as ViewInfo;
  }

  /** The view that shows slices or kernels for other views; undefined without one. */
  viewThatShows(what: Shows): ViewInfo | undefined {
    return this.views.find(({ shows }) => shows === what);
  }

  get state(): State {
    return this.#state.value;
  }

  /** Identifies a trace: run, worker, span and how steps are found. */
  get traceKey(): string {
    return this.#traceKey.value;
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
    this.#refreshing = true;
    try {
      const { result } = await this.router.request<Catalog>("refresh");
      this.#catalog = Promise.resolve(result);
    } finally {
      this.#refreshing = false;
    }
    this.#askAnew();
  }

  /** How often Python has looked for files again. */
  get refreshed(): number {
    return this.#refreshed.value;
  }

  #askAnew(): void {
    this.#traces.clear();
    this.files?.restart();
    this.#refreshed.value = this.#refreshed.peek() + 1;
  }

  /** Request what the chosen trace contains, independent of the filter. */
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
        asked.then(({ result }) => {
          Object.assign(labels, result.labels);
          return result;
        }),
        () => {
          this.#traces.delete(key);
          this.#catalog = null; // a file that cannot be read is no longer listed
        },
      );
      this.#traces.set(key, info);
    }
    return info;
  }

  /** Forget a failed promise, so that the next call asks again. */
  #forgetting<T>(promise: Promise<T>, forget: () => void): Promise<T> {
    promise.catch(forget);
    return promise;
  }

  #hear(name: string, callback: Callback): void {
    this.model.on(name, callback);
    this.life.addEventListener("abort", () => this.model.off(name, callback), { once: true });
  }
}

function keyOf({ run, worker, span, step }: State): string {
  return JSON.stringify([run, worker, span, ...(step ? [step] : [])]);
}
