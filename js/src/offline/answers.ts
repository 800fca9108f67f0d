/** Answers the operations of the protocol from saved state. */
import type { Figure, Op, State, TraceInfo } from "../core/protocol/protocol";
import { canonical, type SavedState } from "../core/saved/savedstate";
import type { Compile } from "../patterns/main";
import { labels } from "../values/names";
import {
  type Answer,
  type Answers,
  NeedsPython,
  type Params,
  type Recomputing,
  type TableSource,
} from "./answerer";
import { lookOf } from "./appearance";
import { describe, drawCards } from "./cards";
import { names } from "./names";
import type { Load, OfflinePart, OfflineTables, OwnQuestion, Question } from "./offlinepart";
import { csv, page, spreads, stacks } from "./pages";
import { preparePatterns } from "./tables/match";
import { readStoredTable, type StoredTable, tableKey } from "./tables/tables";

/** The fields of a filter that do not remove what a chart draws; see `charts/cards/cards.py`. */
const CONTEXT: Record<string, readonly string[]> = { steps: ["steps", "time_us"], name: ["name"] };
const ABSENT = "This is not in the saved state.";
const ANOTHER = "Reading another profile needs Python.";

export class SavedAnswers implements Answers {
  readonly #base: TableSource;

  /**
   * @param parts - the offline part of each view, by name
   * @param tables - the tables of all views that need special treatment, by name
   * @param recomputing - computes tables under other filters; null without partials
   * @param load - loads another script
   */
  constructor(
    readonly saved: SavedState,
    private readonly parts: Readonly<Record<string, OfflinePart>>,
    private readonly tables: OfflineTables,
    private readonly recomputing: Recomputing | null,
    private readonly load: Load,
  ) {
    this.#base = new StoredTables(saved);
    Object.assign(labels, saved.about<TraceInfo>("trace")?.labels);
  }

  async answer(op: Op, params: Params): Promise<Answer> {
    this.#checkTrace(params);
    await preparePatterns(params, () => this.load<Compile>("patterns"));
    if (op === "catalog" || op === "trace") return this.#about(op);
    if (op === "names") return names(this.#base, params);
    const source = this.#source(params);
    if (op === "page") return page(this.saved, source, params, this.tables);
    if (op === "stacks") return stacks(this.saved, source, params);
    const { saved, load } = this;
    if (op === "spreads") return spreads(saved, source, params, this.tables, load);
    if (op === "csv") return csv(saved, source, params, this.tables, load);
    const underSavedFilter = source === this.#base;
    const around = (picks: string) => this.#around(params, picks);
    const question = {
      saved,
      source,
      around,
      underSavedFilter,
      params,
      look: lookOf(params),
      load,
    };
    if (op === "charts") return this.#charts(this.#own(String(params.view), question));
    for (const [view, { operations }] of Object.entries(this.parts)) {
      const answer = operations?.[op];
      if (answer) return answer(this.#own(view, question));
    }
    if (!underSavedFilter) throw new NeedsPython("This needs Python.");
    return this.#about(op);
  }

  lacks(what: string): string | undefined {
    if (what.startsWith("filter:")) {
      if (this.recomputing?.fields.includes(what.slice("filter:".length))) return undefined;
      return "Filtering needs Python.";
    }
    if (what === "profile") return ANOTHER;
    for (const { lacks } of Object.values(this.parts)) {
      const why = lacks?.(this.saved, what);
      if (why !== undefined) return why || undefined;
    }
    return this.saved.has(what) ? undefined : ABSENT;
  }

  /** @throws NeedsPython - the request is about another trace than that of the saved state */
  #checkTrace(params: Params): void {
    const { run, worker, span } = (params.state ?? {}) as Partial<State>;
    const { key } = this.saved.header;
    if ([run, worker, span].some((one, at) => one && one !== key[at]))
      throw new NeedsPython("Another trace needs Python.");
  }

  #source(params: Params): TableSource {
    const state = (params.state ?? {}) as { filter?: Record<string, unknown> };
    const filter = state.filter ?? {};
    if (canonical(filter) === canonical(this.saved.header.filter)) return this.#base;
    const other = this.recomputing?.under(filter);
    if (!other) throw new NeedsPython("Changing the filter needs Python.");
    return other;
  }

  #around(params: Params, picks: string): TableSource | null {
    const { filter = {} } = (params.state ?? {}) as { filter?: Record<string, unknown> };
    const fields = CONTEXT[picks] ?? [];
    const free = (of: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(of).filter(([name]) => !fields.includes(name)));
    const without = free(filter);
    const text = canonical(without);
    if (text === canonical(filter)) return null;
    const own = this.saved.header.filter;
    if (text === canonical(own)) return this.#base;
    if (text === canonical(free(own))) return new StoredTables(this.saved, `${picks}:`);
    return this.recomputing?.under(without) ?? null;
  }

  #about(op: string): Answer {
    const result = this.saved.about<Record<string, unknown>>(op);
    if (!result) throw new NeedsPython(ABSENT);
    return { result, buffers: [] };
  }

  /** Add to a question the cards, which the replies of all views have. */
  #own(view: string, question: Question): OwnQuestion {
    const { saved, source, around, params, look } = question;
    const hasOwn = params.part !== "cards";
    const hasCards = params.part !== "own";
    return {
      ...question,
      cards: async (first) =>
        hasCards ? describe(saved, view, source, params, first) : { cards: [], buffers: [] },
      figures: async () => {
        const part = Object.hasOwn(this.parts, view) ? this.parts[view] : this.parts.custom;
        const own = (hasOwn && (await part?.charts?.(question))) || {};
        const drawn = hasCards
          ? await drawCards(saved, view, { source, around }, params, look)
          : {};
        const cards = Object.entries(drawn).map(([name, drawing]) => [name, { drawing }] as const);
        const shown = Object.entries(own).filter((entry): entry is [string, Figure] => !!entry[1]);
        return Object.fromEntries<Figure>([...shown, ...cards]);
      },
    };
  }

  async #charts(question: OwnQuestion): Promise<Answer> {
    const figures = await question.figures();
    const { cards, buffers } = await question.cards(0);
    return { result: { figures, cards }, buffers };
  }
}

/** The stored tables, each read once. */
class StoredTables implements TableSource {
  readonly #tables = new Map<string, Promise<StoredTable | undefined>>();

  /** @param context - what precedes the names of tables that charts show around the filtered ones */
  constructor(
    private readonly saved: SavedState,
    private readonly context = "",
  ) {}

  table(name: string, group_by: string): Promise<StoredTable | undefined> {
    const key = this.context + tableKey(name, group_by);
    let found = this.#tables.get(key);
    if (!found) {
      found = readStoredTable(this.saved, key);
      this.#tables.set(key, found);
    }
    return found;
  }
}
