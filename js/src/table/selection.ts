/** Row selection: the keys of selected rows, and the name filter that leaves only them. */

import type { Session } from "../core/state/session";
import type { Key } from "../core/state/traits";
import type { Rows } from "../values/arrow";
import { exactPattern } from "../values/names";

/** The key of a row, from the columns that Python names. */
export function keyOf(columns: readonly string[] = ["name"], rows: Rows, row: number): Key {
  return Object.fromEntries(columns.map((name) => [name, rows.get(name, row)]));
}

export function sameKey(a: Key, b: Key): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Select a row alone, or add it; deselect it if it is selected. */
export function toggled(selection: readonly Key[], key: Key, add: boolean): Key[] {
  const there = selection.some((other) => sameKey(other, key));
  if (add) return there ? selection.filter((other) => !sameKey(other, key)) : [...selection, key];
  return there && selection.length === 1 ? [] : [key];
}

export function selectedNames(session: Session): string[] {
  const names = (session.get("selection") ?? []).map((key) => key.name);
  return [...new Set(names.filter((name): name is string => typeof name === "string"))];
}

/** The name filter that keeps exactly these names; traces write module names differently. */
export function namesPattern(session: Session, names: readonly string[]): string {
  return exactPattern(names, session.view.of_modules);
}
