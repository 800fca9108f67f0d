/** Which lines of a tree are open. Python knows the tree; here is what somebody opened or closed. */

import type { Attributes } from "../../core/dom";
import type { PageStore, TreeWish } from "../../table/pages";
import type { Rows } from "../../values/arrow";

const INDENT = 14;
const NO_TWISTY = 16;

export class TreeLines {
  #wish: TreeWish = { search: "", all: null, folds: {} };

  /** @param search - what is searched for now */
  constructor(private readonly search: () => string) {}

  /** Another search opens the way to what it finds, whatever was closed. */
  get wish(): TreeWish {
    const search = this.search();
    if (search !== this.#wish.search) this.#wish = { ...this.#wish, search, folds: {} };
    return this.#wish;
  }

  foldAll(all: boolean): void {
    this.#wish = { ...this.#wish, all, folds: {} };
  }

  attributes(store: PageStore | null, line: number): Attributes {
    const { level, open } = lineOf(store, line);
    return { "aria-level": level, "aria-expanded": open === null ? null : String(open) };
  }

  /** How the cell of the name stands. */
  look(rows: Rows, at: number, changed: () => void) {
    const { level, open } = stateOf(rows, at);
    const toggle = () => {
      this.#turn(rows, at);
      changed();
    };
    return {
      twisty: open === null ? null : { open, toggle, label: "Modules" },
      indent: (level - 1) * INDENT + (open === null ? NO_TWISTY : 0),
      match: rows.get("match", at) === true,
    };
  }

  /** Open a line, or go into an open one; close it, or go to the line round it. Returns where to. */
  step(store: PageStore | null, line: number, inwards: boolean): number | undefined {
    const { level, open } = lineOf(store, line);
    const found = store?.locate(line);
    if (found && open === !inwards) {
      this.#turn(found.block.rows, found.at);
      return undefined;
    }
    if (inwards) return open ? line + 1 : line;
    let up = line;
    while (up > 0 && lineOf(store, up).level >= level) up -= 1;
    return level > 1 ? up : line;
  }

  #turn(rows: Rows, at: number): void {
    const folds = { ...this.#wish.folds, [rows.text("module_id", at)]: !stateOf(rows, at).open };
    this.#wish = { ...this.#wish, folds };
  }
}

/** How deep a row stands, and whether it is open; null where nothing is inside. */
function stateOf(rows: Rows, at: number): { level: number; open: boolean | null } {
  const expanded = rows.get("expanded", at);
  return {
    level: rows.number("level", at) ?? 1,
    open: expanded === null ? null : expanded === true,
  };
}

function lineOf(store: PageStore | null, line: number) {
  const found = store?.locate(line);
  return found ? stateOf(found.block.rows, found.at) : { level: 1, open: null };
}
