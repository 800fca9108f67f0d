/** Answers the operations of the protocol out of a snapshot. */
import type { Figure, Op, State } from "../core/protocol";
import { canonical, type Snapshot } from "../core/snapshot";
import {
  type Answer,
  type Answers,
  type Extras,
  NeedsPython,
  type Params,
  type Recomputing,
  type TableSource,
} from "./answerer";
import { describe } from "./cards";
import { flame, flameKey } from "./flame";
import { memory } from "./memory";
import { csv, page, stacks } from "./pages";
import { given, type Inside, readInside, tableKey } from "./tables/tables";

/** What is never inside. */
const NEVER: Record<string, string> = {
  range: "Narrowing memory to a range of time needs Python.",
  profile: "Reading another profile needs Python.",
  search: "Searching the timeline needs Python.",
};

const OVERVIEW = ["overview", "steps", "device_summary", "device_time", "recommendations"];

export class SnapshotAnswerer implements Answers {
  readonly #recomputing: Recomputing | null;
  readonly #base: TableSource;

  constructor(
    readonly snapshot: Snapshot,
    private readonly extras: Extras,
  ) {
    this.#recomputing = extras.recomputing?.(snapshot) ?? null;
    this.#base = new Kept(snapshot);
  }

  async answer(op: Op, params: Params): Promise<Answer> {
    this.#checkTrace(params);
    if (op === "catalog" || op === "trace") return this.#about(op);
    const source = this.#source(params);
    if (op === "overview") return this.#overview(source, params);
    if (op === "charts") return this.#charts(source, params);
    if (op === "distributed") return this.#distributed(source, params);
    if (op === "memory") return this.#memory(source, params);
    if (op === "page") return page(this.snapshot, source, params);
    if (op === "stacks") return stacks(this.snapshot, source, params);
    if (op === "csv") return csv(this.snapshot, source, params);
    if (op === "flame" && source === this.#base) return flame(this.snapshot, params);
    if (op === "flame") throw new NeedsPython(source.lacks?.("flame") ?? "That needs Python.");
    throw new NeedsPython("That needs Python.");
  }

  lacks(what: string): string | undefined {
    if (what.startsWith("flame:auto:"))
      return this.lacks(flameKey(this.snapshot, "auto", what.slice("flame:auto:".length)));
    if (what.startsWith("filter:")) {
      if (this.#recomputing?.fields.includes(what.slice("filter:".length))) return undefined;
      return "Filtering needs Python.";
    }
    const never = NEVER[what];
    if (never) return never;
    return this.snapshot.has(what) ? undefined : "It is not in the snapshot.";
  }

  /** @throws NeedsPython - the request is about another trace than the one inside */
  #checkTrace(params: Params): void {
    const { run, worker, span } = (params.state ?? {}) as Partial<State>;
    const { key } = this.snapshot.header;
    if ([run, worker, span].some((one, at) => one && one !== key[at]))
      throw new NeedsPython("Another trace needs a kernel.");
  }

  #source(params: Params): TableSource {
    const state = (params.state ?? {}) as { filter?: Record<string, unknown> };
    const filter = state.filter ?? {};
    if (canonical(filter) === canonical(this.snapshot.header.filter)) return this.#base;
    const other = this.#recomputing?.under(filter);
    if (!other) throw new NeedsPython("Another filter needs Python.");
    return other;
  }

  #about(op: string): Answer {
    const result = this.snapshot.about<Record<string, unknown>>(op);
    if (!result) throw new NeedsPython("It is not in the snapshot.");
    return { result, buffers: [] };
  }

  async #overview(source: TableSource, params: Params): Promise<Answer> {
    const tables: Record<string, number> = {};
    const missing: Record<string, string> = {};
    const buffers: Uint8Array[] = [];
    for (const name of OVERVIEW) {
      const table = await source.table(name, "");
      const reason = table ? undefined : source.lacks?.(name);
      if (reason) missing[name] = reason;
      if (!table) continue;
      tables[name] = buffers.length;
      buffers.push(given(table));
    }
    if (!buffers.length)
      throw new NeedsPython(missing.overview ?? "The overview is not in the snapshot.");
    const cards = await describe(this.snapshot, "overview", source, params, buffers.length);
    buffers.push(...cards.buffers);
    const figures = await this.#figures("overview", source, params);
    const facts = this.snapshot.about<[string, string][]>("facts") ?? [];
    return { result: { tables, figures, facts, missing, cards: cards.cards }, buffers };
  }

  async #charts(source: TableSource, params: Params): Promise<Answer> {
    const view = String(params.view);
    const figures = await this.#figures(view, source, params);
    const { cards, buffers } = await describe(this.snapshot, view, source, params, 0);
    return { result: { figures, cards }, buffers };
  }

  async #distributed(source: TableSource, params: Params): Promise<Answer> {
    const about = this.snapshot.about<Record<string, unknown>>("distributed");
    if (!about || source !== this.#base) throw new NeedsPython("Comparing workers needs Python.");
    const figures = await this.#figures("distributed", source, params);
    const { cards, buffers } = await describe(this.snapshot, "distributed", source, params, 1);
    const devices = (await this.snapshot.bytes("distributed")) ?? new Uint8Array();
    return { result: { ...about, figures, cards }, buffers: [devices, ...buffers] };
  }

  async #memory(source: TableSource, params: Params): Promise<Answer> {
    const { result, buffers } = await memory(this.snapshot, source, params);
    const drawn = (await this.#figures("memory", source, params)).memory ?? null;
    const { plane = null } = (drawn ?? {}) as { plane?: unknown };
    return { result: { ...result, figure: drawn, plane }, buffers };
  }

  #figures(
    view: string,
    source: TableSource,
    params: Params,
  ): Promise<Record<string, Figure>> | Record<string, Figure> {
    return this.extras.draw?.(view, source, params) ?? {};
  }
}

/** The tables as they are inside, each read once. */
class Kept implements TableSource {
  readonly #tables = new Map<string, Promise<Inside | undefined>>();

  constructor(private readonly snapshot: Snapshot) {}

  table(name: string, group_by: string): Promise<Inside | undefined> {
    const key = tableKey(name, group_by);
    let found = this.#tables.get(key);
    if (!found) {
      found = readInside(this.snapshot, key);
      this.#tables.set(key, found);
    }
    return found;
  }
}
