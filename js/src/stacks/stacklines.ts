/** `StackLines`: the lines under a row: the tree of its call stacks, the frames of one, or its parts. */
import { type Rows, readRows } from "../values/arrow";
import { type Frame, parseStack } from "../values/names";
import { foldStack } from "./frames";

/** A line of the tree with its figures; it opens the lines below it, and its own frames. */
export interface Branch {
  kind: "branch";
  /** Row of the figures. */
  row: number;
  depth: number;
  /** From the outermost to the innermost. */
  frames: Frame[];
  /** The frame that represents them, undefined where a stack ends. */
  shown: Frame | undefined;
  /** Whether lines below it are shown; undefined without any. */
  open: boolean | undefined;
  /** Whether all of its frames are shown. */
  unfolded: boolean;
}

interface Fold {
  kind: "fold";
  frames: Frame[];
  depth: number;
  open: boolean;
}

export type StackLine =
  | Branch
  | Fold
  | { kind: "frame"; frame: Frame; depth: number }
  | { kind: "part"; row: number }
  | { kind: "note"; text: string };

export class StackLines {
  /** The rows with the figures of branches and parts. */
  rows: Rows | null = null;
  /** The branches that can be shown, indexed by their rows. */
  #all: StackLine[];
  /** The frames of branches that were unfolded, as lines. */
  #own = new Map<Branch, StackLine[]>();
  #shown: StackLine[] = [];

  constructor(note?: string) {
    this.#all = note ? [{ kind: "note", text: note }] : [];
    this.#show();
  }

  /** @param hint - why there are no stacks */
  static read(buffer: Uint8Array, hint: string | undefined, left = 0): StackLines {
    const rows = readRows(buffer);
    const lines = new StackLines();
    lines.rows = rows;
    const all = Array.from({ length: rows.length }, (_, row) => row);
    if (!rows.column("frames")) lines.#all = all.map((row) => ({ kind: "part", row }));
    else {
      if (all.every((row) => !rows.text("frames", row)))
        return new StackLines(hint ?? "No call stack was recorded.");
      const tops = all.filter((row) => rows.number("depth", row) === 0);
      lines.#all = all.map((row) => branchOf(rows, row, tops.length === 1));
      if (left > 0) lines.#all.push({ kind: "note", text: `${left} more lines are not shown.` });
    }
    lines.#show();
    return lines;
  }

  /** The frames of a single stack, whose figures are in the row itself. */
  static of(stack: string): StackLines {
    const frames = parseStack(stack);
    if (!frames.length) return new StackLines("No call stack was recorded.");
    const lines = new StackLines();
    lines.#all = inside(frames, 0);
    lines.#show();
    return lines;
  }

  get length(): number {
    return this.#shown.length;
  }

  at(line: number): StackLine | undefined {
    return this.#shown[line];
  }

  /** The frames of all lines. */
  get frames(): Frame[] {
    return this.#all.flatMap((line) =>
      line.kind === "branch" || line.kind === "fold"
        ? line.frames
        : line.kind === "frame"
          ? [line.frame]
          : [],
    );
  }

  /** Open or close a line: the lines below it, or with `frames` its own frames. */
  toggle(at: number, frames = false): void {
    const line = this.#shown[at];
    if (line?.kind === "fold") line.open = !line.open;
    else if (line?.kind !== "branch") return;
    else if (frames) line.unfolded = !line.unfolded;
    else if (line.open !== undefined) line.open = !line.open;
    this.#show();
  }

  #show(): void {
    this.#shown = [];
    let closed = Number.POSITIVE_INFINITY;
    for (const line of this.#all) {
      const depth = line.kind === "branch" ? line.depth : 0;
      if (depth > closed) continue;
      closed = line.kind === "branch" && line.open === false ? depth : Number.POSITIVE_INFINITY;
      this.#shown.push(line);
      if (line.kind === "fold") this.#showFold(line);
      if (line.kind !== "branch" || !line.unfolded) continue;
      const { frames, shown } = line;
      const others = shown === frames[0] ? frames.slice(1) : frames;
      const own = this.#own.get(line) ?? inside(others, line.depth + 1);
      this.#own.set(line, own);
      for (const other of own) {
        this.#shown.push(other);
        this.#showFold(other);
      }
    }
  }

  #showFold(line: StackLine): void {
    if (line.kind !== "fold" || !line.open) return;
    const { depth } = line;
    this.#shown.push(...line.frames.map((frame) => ({ kind: "frame" as const, frame, depth })));
  }
}

function branchOf(rows: Rows, row: number, oneTop: boolean): Branch {
  const frames = parseStack(rows.text("frames", row));
  const depth = rows.number("depth", row) ?? 0;
  const next = row + 1 < rows.length ? (rows.number("depth", row + 1) ?? 0) : 0;
  // Among the frames that all stacks share, the one nearest to the operator is most informative. In
  // other branches it is the first frame, which distinguishes the branch from its siblings.
  const shared = depth === 0 && oneTop;
  const shown = shared
    ? ([...frames].reverse().find(({ user }) => user) ?? frames.at(-1))
    : frames[0];
  const open = next > depth ? shared : undefined;
  return { kind: "branch", row, depth, frames, shown, open, unfolded: false };
}

/** The lines of some frames: those of the user, and folded ones. */
function inside(frames: readonly Frame[], depth: number): StackLine[] {
  return foldStack(frames).map((group): StackLine => {
    const [frame] = group as [Frame];
    return group.length > 1
      ? { kind: "fold", frames: group, depth, open: false }
      : { kind: "frame", frame, depth };
  });
}
