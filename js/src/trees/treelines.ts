/** `TreeLines`: which lines of a tree are open; Python computes the tree itself. */

import type { Attributes } from "../core/dom";
import { type Signal, signal } from "../core/state/signals";
import type { PageStore, TreeExpansion } from "../table/pagestore";
import type { TableTree } from "../table/tableoptions";
import type { Rows } from "../values/arrow";

const INDENT = 14;
const NO_TWISTY = 16;

export class TreeLines implements TableTree {
  /** The lines that the user has opened and closed, and the search at that time. */
  #expansion: Signal<TreeExpansion>;

  /**
   * @param search - returns the current search text
   * @param id - the column with the number of a row
   * @param noun - what opens, for the label of the button
   */
  constructor(
    private readonly search: () => string,
    private readonly id = "module_id",
    private readonly noun = "Modules",
    /** The lines that are open at first, besides the first levels. */
    folds: TreeExpansion["folds"] = {},
    /** How far each level is indented, CSS px. */
    private readonly indent = () => INDENT,
  ) {
    this.#expansion = signal<TreeExpansion>({ search: "", all: null, folds });
  }

  /** The open lines; a new search opens the ancestors of its matches and resets closed lines. */
  get expansion(): TreeExpansion {
    const search = this.search();
    const expansion = this.#expansion.value;
    return search === expansion.search ? expansion : { ...expansion, search, folds: {} };
  }

  foldAll(all: boolean): void {
    this.#expansion.value = { ...this.expansion, all, folds: {} };
  }

  attributes(store: PageStore | null, line: number): Attributes {
    const { level, open } = lineOf(store, line);
    return { "aria-level": level, "aria-expanded": open === null ? null : String(open) };
  }

  /** The indentation, button and mark of the name cell. */
  look(rows: Rows, at: number) {
    const { level, open } = stateOf(rows, at);
    const toggle = () => this.#turn(rows, at);
    return {
      twisty: open === null ? null : { open, toggle, label: this.noun },
      indent: (level - 1) * this.indent() + (open === null ? NO_TWISTY : 0),
      match: rows.get("match", at) === true,
    };
  }

  /** Open a line or go into it; close it or go to its parent. Returns the line to go to. */
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
    const { expansion } = this;
    const folds = { ...expansion.folds, [rows.text(this.id, at)]: !stateOf(rows, at).open };
    this.#expansion.value = { ...expansion, folds };
  }
}

/** The level of a row, and whether it is open; null without children. */
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
