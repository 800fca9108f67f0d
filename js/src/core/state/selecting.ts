/** Reads the selection that tables, charts and the timeline share, and turns it into a filter. */

import { formatNumber, plural } from "../../values/format";
import { exactPattern } from "../../values/names";
import type { Session } from "./session";
import type { Key } from "./traits";

/** The columns that mean the same in all views, as in `nbprof/widgets/state_rules.py`. */
const ITEMS = ["step", "name", "worker"];

export function sameKey(a: Key, b: Key): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Select a key alone, or add it; deselect it if it is selected. */
export function toggled(selection: readonly Key[], key: Key, add: boolean): Key[] {
  const there = selection.some((other) => sameKey(other, key));
  if (add) return there ? selection.filter((other) => !sameKey(other, key)) : [...selection, key];
  return there && selection.length === 1 ? [] : [key];
}

export function selectedNames(session: Session): string[] {
  return namesOf(session.get("selection") ?? []);
}

/** The different names in a selection. */
export function namesOf(selection: readonly Key[]): string[] {
  const names = selection.map(({ name }) => name);
  return [...new Set(names)].filter((name) => typeof name === "string");
}

/** The name filter that keeps exactly these names, none for none; modules are written differently. */
export function namesPattern(session: Session, names: readonly string[]): string {
  return names.length ? exactPattern(names, session.view.of_modules) : "";
}

/** The keys of a selection that other views understand: names, steps and workers. */
export function carried(selection: readonly Key[]): Key[] {
  const keys: Key[] = [];
  for (const one of selection) {
    const item = ITEMS.find((column) => one[column] !== undefined && one[column] !== null);
    if (!item) continue;
    const key = { [item]: one[item] ?? null };
    if (!keys.some((other) => sameKey(other, key))) keys.push(key);
  }
  return keys;
}

/** The different values that selected keys have in a column. */
function valuesOf(session: Session, column: string): Key[string][] {
  const values = (session.get("selection") ?? []).map((key) => key[column] ?? null);
  return [...new Set(values)].filter((value) => value !== null);
}

/** A use of the selection: the words on its button, and the change of the traits. */
interface Use {
  /** The selection in words. */
  said: string;
  label: string;
  /** The field of the filter that it sets; empty for another worker. */
  field: "name" | "steps" | "";
  /** Whether the filter or the worker is set already. */
  done: boolean;
  run(): string;
}

/** The use of the selection; null if it is empty, or only a place in the timeline. */
export function useOf(session: Session): Use | null {
  const filter = session.get("filter") ?? {};
  const steps = valuesOf(session, "step").filter((step) => typeof step === "number");
  if (steps.length) {
    const [first, last] = [Math.min(...steps), Math.max(...steps)];
    const words = first === last ? `step ${first}` : `steps ${first} to ${last}`;
    const now = filter.steps;
    return {
      said: last - first + 1 === steps.length ? words : plural(steps.length, "step"),
      label: `Filter to ${words}`,
      field: "steps",
      done: now !== undefined && now[0] === first && now[1] === last,
      run: () => {
        session.setFilter({ steps: [first, last] }, { selection: [] });
        return `Filtered to ${words}`;
      },
    };
  }
  const names = selectedNames(session);
  if (names.length) {
    const name = namesPattern(session, names);
    return {
      said: plural(names.length, "name"),
      label:
        names.length > 1 ? `Filter to ${formatNumber(names.length)} names` : "Filter to selection",
      field: "name",
      done: filter.name === name,
      run: () => {
        session.setFilter({ name }, { selection: [] });
        return `Filtered to ${plural(names.length, "name")}`;
      },
    };
  }
  const [worker, ...others] = valuesOf(session, "worker");
  if (typeof worker !== "string" || others.length) return null;
  return {
    said: worker,
    label: `Show ${worker} in the other views`,
    field: "",
    done: session.get("worker") === worker,
    run: () => {
      session.set({ worker, selection: [] });
      return `The other views show ${worker}`;
    },
  };
}
