/** The tables of differences under another filter of steps and names. */
import type { Page } from "../../../core/protocol/protocol";
import type { Filtering } from "../../../offline/offlinepart";
import type { StoredColumn, StoredTable } from "../../../offline/tables/tables";
import type { Value } from "../../../values/arrow";
import { RENAMED } from "../tree";
import { outlinesOf } from "./calls/outline";
import { type TreeRows, treeRows } from "./calls/rows";
import { Comparison, partsOf } from "./comparison";
import { callsOf, type Facts, factsOf, stepsOf } from "./facts";
import { kernelNames } from "./kernelnames";
import { largestChange } from "./largestchange";
import { atPeaks } from "./peaks";
import { Sides, type Tools } from "./sides";
import { stepTable } from "./steptable";

const FIGURE = /^(baseline|candidate|delta)_(.+)$/;
const KERNELS = /^(baseline|candidate)_kernels$/;
/** The figures that stand in where another is 0 on both sides, as `Figure.instead` in Python. */
const INSTEAD: Partial<Record<string, string>> = {
  device_us: "host_us",
  device_self_us: "host_self_us",
};
const BASELINE_NAME = "baseline_name";
const CHANGES = ["added", "removed", "up", "down", "same"];

/**
 * Compute a table, in the columns that it has under the filter of the saved state.
 *
 * @param word - the table, as `nbprof.diff` names it
 * @param subject - the table at the start of a sentence
 * @throws - it takes the traces
 */
export async function tableUnder(
  whole: StoredTable,
  filtering: Pick<Filtering, "saved" | "steps" | "name" | "counted">,
  word: string,
  subject: string,
  tools: Tools,
): Promise<StoredTable> {
  const { saved, steps, name, counted } = filtering;
  const known = stepsOf(saved);
  if (!known) throw tools.refuse(`${subject} cannot be filtered without Python.`);
  const sides = new Sides(known, { steps, name }, tools);
  const described = (made: StoredTable, more?: object) => {
    const notes = { ...made.about.notes, noise_pct: sides.noiseNote };
    return { ...made, about: { ...made.about, notes, ...more } };
  };
  if (whole.columns.some((column) => column.name === "baseline_step"))
    return described(counted(await stepTable(whole, saved, sides, subject, tools)));
  const kinds = callsOf(saved, word);
  const outlines = kinds && (await outlinesOf(saved));
  const tree = outlines && treeRows(outlines, sides.used, kinds);
  const facts = tree ? tree.facts : await factsOf(saved, word);
  if (!facts) throw tools.refuse(`${subject} cannot be filtered without Python.`);
  const { at_peak } = facts.about;
  const peaks = at_peak ? await factsOf(saved, at_peak) : undefined;
  if (at_peak && !peaks) throw tools.refuse(`${subject} cannot be filtered without Python.`);
  const comparison = peaks ? comparePeaks(facts, peaks, sides) : sides.compare(facts, subject);
  const main = mainFigure(whole);
  const sorted = facts.about.in_order ? comparison.keys : comparison.bySize(main);
  const keys = tree ? tree.shown.map((row) => JSON.stringify([row])) : sorted;
  const kernels = kernelNames(facts, sides);
  const changes = new Map(keys.map((key) => [key, comparison.judged(key, main, INSTEAD[main])]));
  const isMerged = whole.columns.some((column) => column.name === BASELINE_NAME);
  let place = -1;
  const columns = whole.columns.map((column): StoredColumn => {
    const [, side = "", figure = ""] = FIGURE.exec(column.name) ?? [];
    const values = (of: (key: string) => Value) => ({ ...column, values: keys.map(of) });
    if (KERNELS.test(column.name)) return values((key) => kernels(side, key));
    if (isFigure(comparison, figure))
      return values((key) => number(comparison.change(key, figure)[side as "delta"]));
    if (column.name === "delta_pct" || column.name === "noise_pct") {
      const share = column.name;
      return values((key) => changes.get(key)?.[share] ?? null);
    }
    if (column.name === "change")
      return values((key) => {
        const change = changes.get(key);
        return change ? comparison.word(key, change, tree?.there(Number(partsOf(key)[0]))) : null;
      });
    if (tree) return { ...column, values: shownColumn(tree, column.name, isMerged) };
    place += 1;
    const at = place;
    return values((key) => partsOf(key)[at] ?? null);
  });
  const table = { ...whole, length: keys.length, columns, slots: [] };
  const unnamed =
    name && !tree
      ? await tableUnder(whole, { ...filtering, name: "" }, word, subject, tools)
      : table;
  const more = (whole.about.more as Partial<Page> | undefined)?.path
    ? { path: largestChange(table, `delta_${main}`) }
    : { changes: countsOf(columns) };
  const changed = whole.about.more && { more };
  return described(counted(table, unnamed), changed);
}

/** A column of the tree; where the names of both sides have a column each, the first has both. */
function shownColumn({ shown, column }: TreeRows, name: string, isMerged: boolean): Value[] {
  const [values, theirs] = [
    column(name === BASELINE_NAME ? "name" : name),
    column("candidate_name"),
  ];
  return shown.map((row) => {
    const [own, other] = [values?.[row] ?? null, theirs?.[row] ?? null];
    const isRenamed = isMerged && name === "name" && other !== null && own !== other;
    return isRenamed ? `${own}${RENAMED}${other}` : own;
  });
}

/** Peaks are those of whatever runs: only what is held at them has a name. */
function comparePeaks(all: Facts, peaks: Facts, sides: Sides): Comparison {
  const { facts, used } = atPeaks(all, peaks, sides);
  return new Comparison(facts, used, []);
}

function isFigure(comparison: Comparison, figure: string): boolean {
  return comparison.facts.cells.some((of) => of.some(({ values }) => values.has(figure)));
}

/** The figure that comes first, which the columns about the change are of. */
function mainFigure(table: StoredTable): string {
  const first = table.columns.find(({ name }) => name.startsWith("delta_") && name !== "delta_pct");
  return first?.name.slice("delta_".length) ?? "";
}

function number(value: number): Value {
  return Number.isNaN(value) ? null : value;
}

function countsOf(columns: readonly StoredColumn[]): Record<string, number> {
  const changes = columns.find(({ name }) => name === "change")?.values ?? [];
  return Object.fromEntries(
    CHANGES.map((word) => [word, changes.filter((one) => one === word).length]),
  );
}
