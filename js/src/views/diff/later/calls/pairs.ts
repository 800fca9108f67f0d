/** The positions of both sides that belong together, as `nbprof/diffs/trees/pairs.py`. */
import type { Positions } from "./positions";
import { align, type Item } from "./sequences";

/** A row of the tree of both sides: positions, -1 where a side does not have it. */
export interface Pair {
  baseline: number;
  candidate: number;
  /** The row of the parent, -1 at the top, and the number of rows above. */
  parent: number;
  depth: number;
}

interface Side {
  positions: Positions;
  items: Item[];
  inside: number[];
}

type Both = readonly [one: number, other: number];

/**
 * The positions of both sides, those that belong together in one row, in reading order.
 *
 * @param host - the time of all calls on the host, of both sides
 */
export function pairUp(baseline: Positions, candidate: Positions, host: Both): Pair[] {
  // Of several equally good alignments it is the same one if the sides are swapped.
  if ((compared(candidate, baseline) || host[1] - host[0]) < 0)
    return paired(candidate, baseline).map((pair) => ({
      ...pair,
      baseline: pair.candidate,
      candidate: pair.baseline,
    }));
  return paired(baseline, candidate);
}

function compared(one: Positions, other: Positions): number {
  return (
    one.children.length - other.children.length ||
    order(one.label, other.label) ||
    order(one.children, other.children) ||
    order(one.shapes, other.shapes)
  );
}

type Ordered = number | string | readonly Ordered[];

/** Compare lists as Python does: by their first items that differ, else by their lengths. */
function order(one: Ordered, other: Ordered): number {
  if (typeof one === "object" && typeof other === "object") {
    for (let at = 0; at < one.length && at < other.length; at += 1) {
      const found = order(one[at] as Ordered, other[at] as Ordered);
      if (found) return found;
    }
    return one.length - other.length;
  }
  return one < other ? -1 : Number(one > other);
}

function paired(baseline: Positions, candidate: Positions): Pair[] {
  const [one, other] = signed(baseline, candidate);
  const found: Pair[] = [];
  const waiting: Pair[] = [{ baseline: 0, candidate: 0, parent: -1, depth: 0 }];
  for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
    const row = found.push(pair) - 1;
    const depth = pair.depth + 1;
    for (const [mine, theirs] of below(one, other, pair).reverse())
      waiting.push({ baseline: mine, candidate: theirs, parent: row, depth });
  }
  return found;
}

/** The children of a row: both, or only the baseline's, or only the candidate's. */
function below(one: Side, other: Side, pair: Pair): Both[] {
  const mine = one.positions.children[pair.baseline] ?? [];
  const theirs = other.positions.children[pair.candidate] ?? [];
  if (!mine.length || !theirs.length) return alone(mine, theirs);
  const itemsOf = (side: Side, of: readonly number[]) => of.map((at) => side.items[at] as Item);
  return merged(mine, theirs, align(itemsOf(one, mine), itemsOf(other, theirs)), (these, those) =>
    renamed(one, other, these, those),
  );
}

/**
 * What is between two pairs: items with new names together, all others alone.
 *
 * If there are equally many items of the same kinds on both sides, each replaces the one in its
 * place. Otherwise, items of a kind belong together if the same is inside them.
 */
function renamed(one: Side, other: Side, mine: number[], theirs: number[]): Both[] {
  const kindsOf = ({ positions }: Side, of: readonly number[]) =>
    of.map((at) => positions.label[at]?.[0]).join();
  if (mine.length && mine.length === theirs.length && kindsOf(one, mine) === kindsOf(other, theirs))
    return mine.map((at, place) => [at, theirs[place] ?? -1]);
  if (!mine.length || !theirs.length) return alone(mine, theirs);
  const itemsOf = ({ inside }: Side, of: readonly number[]) =>
    of.map((at) => ({ label: inside[at] ?? -1, signature: inside[at] ?? -1 }));
  return merged(mine, theirs, align(itemsOf(one, mine), itemsOf(other, theirs)), alone);
}

/** The pairs, and before each of them and at the end what is between two. */
function merged(
  mine: readonly number[],
  theirs: readonly number[],
  pairs: readonly Both[],
  between: (mine: number[], theirs: number[]) => Both[],
): Both[] {
  const found: Both[] = [];
  let [low, left] = [0, 0];
  for (const [at, beside] of [...pairs, [mine.length, theirs.length] as const]) {
    found.push(...between(mine.slice(low, at), theirs.slice(left, beside)));
    const pair = [mine[at], theirs[beside]] as const;
    if (pair[0] !== undefined && pair[1] !== undefined) found.push([pair[0], pair[1]]);
    [low, left] = [at + 1, beside + 1];
  }
  return found;
}

function alone(mine: readonly number[], theirs: readonly number[]): Both[] {
  return [...mine.map((at) => [at, -1] as const), ...theirs.map((at) => [-1, at] as const)];
}

/**
 * Give labels and signatures numbers, equal ones of both sides the same.
 *
 * A signature stands for the label, the shapes and the signatures of everything inside.
 */
function signed(...sides: [Positions, Positions]): [Side, Side] {
  const labels = new Map<string, number>();
  const signatures = new Map<string, number>();
  const numberOf = (known: Map<string, number>, ...parts: unknown[]) => {
    const key = JSON.stringify(parts);
    const number = known.get(key) ?? known.size;
    known.set(key, number);
    return number;
  };
  return sides.map((positions) => {
    const { children, label, backward, shapes } = positions;
    const items: Item[] = [];
    const inside: number[] = [];
    for (const at of deepestFirst(children)) {
      const [kind, text] = label[at] ?? [];
      const own = numberOf(labels, kind, text, backward[at]);
      const within = (children[at] ?? []).map((child) => items[child]?.signature);
      const content = numberOf(signatures, kind, backward[at], shapes[at], within);
      inside[at] = content;
      items[at] = { label: own, signature: numberOf(signatures, own, content) };
    }
    return { positions, items, inside };
  }) as [Side, Side];
}

/** The positions so that children come before their parents. */
function deepestFirst(children: readonly number[][]): number[] {
  const found = [0];
  for (const at of found) found.push(...(children[at] ?? [])); // grows while it is read
  return found.reverse();
}
