/** Selected rows: their keys in a trait, so that Python sees them and other views follow. */

import type { Key, Session } from "../core/session";
import type { Rows } from "../values/arrow";
import { exactPattern } from "../values/names";

/** What tells a row apart, by the columns that Python names. */
export function keyOf(columns: readonly string[] = ["name"], rows: Rows, row: number): Key {
  return Object.fromEntries(columns.map((name) => [name, rows.get(name, row)]));
}

export function sameKey(a: Key, b: Key): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Select a row alone, add it, or take it away if it is there. */
export function toggled(selection: readonly Key[], key: Key, add: boolean): Key[] {
  const there = selection.some((other) => sameKey(other, key));
  if (add) return there ? selection.filter((other) => !sameKey(other, key)) : [...selection, key];
  return there && selection.length === 1 ? [] : [key];
}

export function selectedNames(session: Session): string[] {
  const names = (session.get("selection") ?? []).map((key) => key.name);
  return [...new Set(names.filter((name): name is string => typeof name === "string"))];
}

/** The name filter that leaves exactly these; names of modules are written otherwise in a trace. */
export function namesPattern(session: Session, names: readonly string[]): string {
  return exactPattern(names, session.view.of_modules);
}
