/** Recomputes tables under a filter of steps and names from the partials of each step. */

import { canonical, type SavedState } from "../../core/saved/savedstate";
import { NeedsPython, type Recomputing, type TableSource } from "../answerer";
import { matcher } from "./match";
import { allRows } from "./order";
import { namesOf, partsKey, readParts, regroup } from "./parts";
import { type Inside, readInside, sumsOf, tableKey, take, valuesOf } from "./tables";
import { deviceSummaryWithin, deviceTimeWithin, overviewOf, stepsWithin } from "./windows";

/** Tables of time that cannot be recomputed from sums under a name filter. */
const OF_TIME = ["steps", "overview", "device_time", "device_summary"];
/** Tables that a step filter narrows by their rows. */
const BY_STEP = ["stages", "npu_steps"];
const GROUPED = ["operators", "kernels", "memory_operators"];

/** The name of a table in a sentence. */
const WORDS: Record<string, string> = {
  steps: "The steps",
  overview: "The overview",
  device_time: "The device time",
  device_summary: "The devices",
  recommendations: "Recommendations",
  memory_curve: "Memory over time",
  memory_peak: "Peak memory",
  memory_events: "Allocations",
  memory_peak_holders: "Memory held at the peak",
  modules: "Modules",
  flame: "The flame graph",
};

const CUT = "some of its rows were left out.";

type Range = [first: number, last: number];

/** Return the tables under other filters; null where the saved state has no partials. */
export function recomputing(saved: SavedState): Recomputing | null {
  const kept = Object.keys(saved.header.entries);
  if (!kept.some((name) => name.startsWith("partials:"))) return null;
  return {
    fields: ["steps", "name"],
    under: (filter) => {
      const { steps, name, ...others } = filter as { steps?: Range; name?: string };
      if (canonical(others) !== canonical(saved.header.filter)) return null;
      return new Filtered(saved, steps ?? null, name ?? "");
    },
  };
}

class Filtered implements TableSource {
  readonly #tables = new Map<string, Promise<Inside | undefined>>();
  /** Tables computed from steps of which the saved state lacks some. */
  readonly #cut = new Set<string>();

  constructor(
    private readonly saved: SavedState,
    private readonly steps: Range | null,
    private readonly name: string,
  ) {}

  table(name: string, group_by: string): Promise<Inside | undefined> {
    const key = tableKey(name, group_by);
    let found = this.#tables.get(key);
    if (!found) {
      found = this.#make(name, group_by);
      this.#tables.set(key, found);
    }
    return found;
  }

  lacks(asked: string): string | undefined {
    const name = asked.startsWith("card:") ? (asked.split(/[:/]/)[1] ?? "") : asked;
    const words = WORDS[name] ?? "This";
    if (GROUPED.includes(name)) return undefined;
    if (this.#cut.has(name)) return `${words} cannot be filtered: ${CUT}`;
    if (this.name && (OF_TIME.includes(name) || name === "stages"))
      return `${words} cannot be filtered by name without Python.`;
    if (OF_TIME.includes(name) || BY_STEP.includes(name)) return undefined;
    return `${words} cannot be filtered without Python.`;
  }

  async #make(name: string, group_by: string): Promise<Inside | undefined> {
    if (this.lacks(name)) return undefined;
    const whole = await readInside(this.saved, tableKey(name, group_by));
    if (!whole) return undefined;
    const wanted = (number: number) =>
      this.steps === null || (number >= this.steps[0] && number <= this.steps[1]);
    if (GROUPED.includes(name)) return this.#grouped(whole, name, group_by, wanted);
    if (name === "steps") {
      if (!isCut(whole)) return this.#counted(stepsWithin(whole, wanted));
      this.#cut.add("steps").add("overview");
      return undefined;
    }
    if (name.startsWith("card:")) {
      const steps = valuesOf(whole, "step");
      return take(
        whole,
        allRows(whole).filter((row) => wanted(Number(steps[row]))),
      );
    }
    if (name === "overview") {
      const steps = await this.table("steps", "");
      return steps && overviewOf(whole, steps);
    }
    if (this.steps === null) return whole;
    const parts = await readParts(this.saved, partsKey(name, ""));
    if (!parts) return undefined;
    const within = name === "device_time" ? deviceTimeWithin : deviceSummaryWithin;
    return within(whole, parts, wanted);
  }

  /** @throws NeedsPython - the saved state lacks the partials of the table */
  async #grouped(
    whole: Inside,
    name: string,
    group_by: string,
    wanted: (number: number) => boolean,
  ): Promise<Inside> {
    if (isCut(whole)) throw new NeedsPython(`This table cannot be filtered: ${CUT}`);
    const parts = await readParts(this.saved, partsKey(name, group_by));
    if (!parts) throw new NeedsPython("The data to filter this table was left out.");
    const names = namesOf(whole);
    const matches = this.name ? matcher(this.name) : () => true;
    const steps = this.steps === null ? null : wanted;
    const unnamed = regroup(whole, parts, steps, () => true);
    const found = this.name
      ? regroup(whole, parts, steps, (row) => matches(names[row] ?? null))
      : unnamed;
    return this.#counted(found, unnamed);
  }

  /** Update the counts and sums in a table's description. */
  #counted(table: Inside, unnamed = table): Inside {
    const { about } = table;
    const title = `No ${about.table.replace("memory_", "")} match the filter`;
    const empty = {
      title,
      text: "Another filter may match some.",
      actions: [{ label: "Reset filters", filter: this.saved.header.filter }],
    };
    const sums = sumsOf(table, Object.keys(about.sums));
    const all_sums = sumsOf(unnamed, Object.keys(unnamed.about.sums));
    const rows = table.length;
    const said = { ...about, rows, all: unnamed.length, sums, all_sums, empty };
    return { ...table, about: said, unnamed };
  }
}

/** Whether rows are missing, which a filter might have shown. */
function isCut({ length, about }: Inside): boolean {
  return length < about.rows;
}
