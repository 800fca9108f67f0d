/** The modules of a trace as a tree: which rows are in sight, in what order, and what is found. */
import type { Rows, Value } from "../arrow";

export interface Module {
  /** Its row in the table. */
  row: number;
  id: number;
  name: string;
  /** From 1, as `aria-level` counts. */
  level: number;
  parent: Module | null;
  children: Module[];
}

export type Sort = readonly [key: string, direction: "asc" | "desc"];

/** Lines that the tree opens by itself. */
const FIRST_LINES = 14;

export class ModuleTree {
  readonly #roots: Module[] = [];
  readonly #all: Module[] = [];

  constructor(
    private readonly rows: Rows,
    /** The modules that are open, by their numbers; they stay so under another filter. */
    readonly open: Set<number>,
  ) {
    const known = new Map<number, Module>();
    for (let row = 0; row < rows.length; row += 1) {
      // A parent comes before what is inside it, unless the filter leaves it out.
      const parent = known.get(rows.number("parent_id", row) ?? -1) ?? null;
      const id = rows.number("module_id", row) ?? row;
      const name = rows.text("name", row);
      const module = { row, id, name, level: (parent?.level ?? 0) + 1, parent, children: [] };
      known.set(id, module);
      this.#all.push(module);
      (parent?.children ?? this.#roots).push(module);
    }
  }

  get roots(): readonly Module[] {
    return this.#roots;
  }

  get size(): number {
    return this.#all.length;
  }

  get parents(): Module[] {
    return this.#all.filter((module) => module.children.length > 0);
  }

  /** Open one level after the other, as long as there are few lines. */
  openFirst(): void {
    let level = this.#roots;
    let lines = level.length;
    while (level.length) {
      const next = level.flatMap((module) => module.children);
      lines += next.length;
      if (lines > FIRST_LINES) return;
      for (const module of level) this.open.add(module.id);
      level = next;
    }
  }

  /** The modules whose parents are all open, from the top. */
  visible(sort: Sort | null): Module[] {
    const found: Module[] = [];
    const waiting = [...this.#sorted(this.#roots, sort)].reverse();
    for (let module = waiting.pop(); module; module = waiting.pop()) {
      found.push(module);
      if (this.open.has(module.id)) waiting.push(...this.#sorted(module.children, sort).reverse());
    }
    return found;
  }

  find(matches: (name: string) => boolean): Module[] {
    return this.#all.filter((module) => matches(module.name));
  }

  /** Open all that is round a module. */
  openPath(module: Module): void {
    for (let up = module.parent; up; up = up.parent) this.open.add(up.id);
  }

  /** Siblings in order; what is equal or null stays as it ran, nulls last. */
  #sorted(modules: readonly Module[], sort: Sort | null): Module[] {
    const sorted = [...modules];
    if (!sort) return sorted;
    const [key, direction] = sort;
    const sign = direction === "asc" ? 1 : -1;
    const value = ({ row }: Module): Value => this.rows.get(key, row);
    return sorted.sort((a, b) => {
      const [one, other] = [value(a), value(b)];
      if (one === null || other === null) return Number(one === null) - Number(other === null);
      if (typeof one === "string") return sign * one.localeCompare(String(other));
      return sign * (Number(one) - Number(other));
    });
  }
}

/** The rule of name filters: a part of the name, or an expression between slashes. */
export function nameMatcher(search: string): ((name: string) => boolean) | null {
  if (!search) return null;
  const pattern = /^\/(.+)\/$/s.exec(search)?.[1];
  if (pattern === undefined) {
    const part = search.toLowerCase();
    return (name) => name.toLowerCase().includes(part);
  }
  try {
    const expression = new RegExp(pattern, "i");
    return (name) => expression.test(name);
  } catch {
    return () => false;
  }
}
