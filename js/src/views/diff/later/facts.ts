/** Reads the values of every step of both sides, as `nbprof/widgets/views/diff/facts.py` saves them. */
import type { SavedState } from "../../../core/saved/savedstate";
import type { Rows, Value } from "../../../values/arrow";

/** The steps of both sides. */
export interface Steps {
  per_step: boolean;
  /** What a reader has to know, whatever the filter. */
  notes: string[];
  sides: { workers: { number: number[]; complete: boolean[] }[]; own: string[] }[];
}

/** What the values of a table are of; see `ByStep` in Python. */
interface About {
  /** Kinds of calls of both trees that are its rows, empty for all; undefined for other tables. */
  of_calls?: string[];
  named: number | null;
  width: number | null;
  in_order: boolean;
  /** The table of peaks whose largest step counts, instead of medians; empty for other tables. */
  at_peak?: string;
  /** Whether idle times at the borders of steps come after the values. */
  at_borders?: boolean;
  noisy: boolean;
  /** The number of workers of each side. */
  workers: [number, number];
}

/** The values of one worker, by row and step. */
export interface Cells {
  row: number[];
  step: number[];
  values: Map<string, number[]>;
}

/** The steps of one worker, and the idle times at their borders, in ns; `row` is without a cause. */
export interface Borders {
  steps: Map<string, number[]>;
  gaps: Map<string, number[]>;
}

export interface Facts {
  about: About;
  /** The keys of all rows: a list for each key column. */
  keys: Value[][];
  /** The place of each row among those of a side, -1 for rows that it lacks. */
  places: number[][];
  /** The values of the workers of both sides. */
  cells: Cells[][];
  /** The idle times at the borders of steps of the workers of both sides, if the table has any. */
  borders?: Borders[][];
}

export function stepsOf(saved: SavedState): Steps | undefined {
  return saved.about<Steps>("diff:steps");
}

/** The values of a table; undefined if they are not in the saved state. */
export async function factsOf(saved: SavedState, word: string): Promise<Facts | undefined> {
  const entry = `diff:by:${word}`;
  const about = saved.about<About>(entry);
  const table = await saved.rows(entry);
  if (!about || !table) return undefined;
  const keys: Value[][] = [];
  for (let at = 0; named(table, `key${at}`); at += 1) keys.push(valuesOf(table, `key${at}`));
  const places = ["baseline", "candidate"].map((name) => valuesOf(table, name).map(Number));
  let part = 1;
  /** Read what follows for each worker of both sides; undefined if it is not all there. */
  const ofWorkers = async <T>(read: () => Promise<T | undefined>) => {
    const found: T[][] = [];
    for (const workers of about.workers) {
      const side: T[] = [];
      for (let worker = 0; worker < workers; worker += 1) {
        const one = await read();
        if (one === undefined) return undefined;
        side.push(one);
      }
      found.push(side);
    }
    return found;
  };
  const next = () => saved.rows(entry, part++);
  const cells = await ofWorkers(async () => {
    const rows = await next();
    return rows && cellsOf(rows);
  });
  if (!cells) return undefined;
  if (!about.at_borders) return { about, keys, places, cells };
  const borders = await ofWorkers(async (): Promise<Borders | undefined> => {
    const [steps, gaps] = [await next(), await next()];
    return steps && gaps && { steps: rest(steps, []), gaps: rest(gaps, []) };
  });
  return borders && { about, keys, places, cells, borders };
}

/** The kinds of calls that a table is made of; undefined if it is not made of calls. */
export function callsOf(saved: SavedState, word: string): string[] | undefined {
  return saved.about<About>(`diff:by:${word}`)?.of_calls;
}

function cellsOf(rows: Rows): Cells {
  const places = ["row", "step"] as const;
  const [row = [], step = []] = places.map((name) => numbersOf(rows, name));
  return { row, step, values: rest(rows, places) };
}

/** The columns other than some, by name. */
export function rest(rows: Rows, names: readonly string[]): Map<string, number[]> {
  const others = rows.columns.filter(({ name }) => !names.includes(name));
  return new Map(others.map(({ name }) => [name, numbersOf(rows, name)]));
}

export function numbersOf(rows: Rows, name: string): number[] {
  return valuesOf(rows, name).map(Number);
}

function named(rows: Rows, name: string) {
  return rows.columns.find((column) => column.name === name);
}

function valuesOf(rows: Rows, name: string): Value[] {
  const at = named(rows, name)?.at;
  return at ? Array.from({ length: rows.length }, (_, row) => at(row)) : [];
}
