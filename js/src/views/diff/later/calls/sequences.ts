/** Aligns two sequences, as `nbprof/diffs/trees/sequences.py`, which describes how. */

/** Pieces with at most this many pairs of items are aligned optimally. */
const MOST_PAIRS = 40_000;
/** Points for a pair with equal labels, and for one with equal signatures. */
const [LABEL, SIGNATURE] = [4, 5];

export interface Item {
  label: number;
  signature: number;
}

export type Match = readonly [first: number, second: number];
type Piece = readonly [low: number, high: number, left: number, right: number];

/** Which items belong together: pairs of places, ascending on both sides. */
export function align(first: readonly Item[], second: readonly Item[]): Match[] {
  const pairs: Match[] = [];
  const waiting: Piece[] = [[0, first.length, 0, second.length]];
  for (let piece = waiting.pop(); piece; piece = waiting.pop()) {
    let [low, high, left, right] = piece;
    while (low < high && left < right && isSame(first[low], second[left])) {
      pairs.push([low, left]);
      low += 1;
      left += 1;
    }
    while (low < high && left < right && isSame(first[high - 1], second[right - 1])) {
      high -= 1;
      right -= 1;
      pairs.push([high, right]);
    }
    if (low === high || left === right) continue;
    const rest: Piece = [low, high, left, right];
    if ((high - low) * (right - left) <= MOST_PAIRS) {
      pairs.push(...optimal(first, second, rest));
      continue;
    }
    const anchors = anchorsOf(first.slice(low, high), second.slice(left, right));
    if (!anchors.length) {
      pairs.push(...byOccurrence(first, second, rest));
      continue;
    }
    let [at, beside] = [low, left];
    for (const [one, other] of anchors) {
      waiting.push([at, low + one, beside, left + other]);
      pairs.push([low + one, left + other]);
      [at, beside] = [low + one + 1, left + other + 1];
    }
    waiting.push([at, high, beside, right]);
  }
  return pairs.sort(([one], [other]) => one - other);
}

function isSame(one: Item | undefined, other: Item | undefined): boolean {
  return one?.label === other?.label && one?.signature === other?.signature;
}

/** Pairs of items that occur once on either side, in the longest common order. */
function anchorsOf(first: readonly Item[], second: readonly Item[]): Match[] {
  const [here, there] = [placesOf(first), placesOf(second)];
  const found: Match[] = [];
  for (const [key, [at = 0, ...more]] of here) {
    const [beside, ...others] = there.get(key) ?? [];
    if (beside !== undefined && !more.length && !others.length) found.push([at, beside]);
  }
  return longestIncreasing(found);
}

function placesOf(items: readonly Item[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  items.forEach(({ label, signature }, at) => {
    const key = `${label} ${signature}`;
    const places = found.get(key);
    if (places) places.push(at);
    else found.set(key, [at]);
  });
  return found;
}

/** Pair the k-th item of each label with the k-th on the other side, in a common order. */
function byOccurrence(
  first: readonly Item[],
  second: readonly Item[],
  [low, high, left, right]: Piece,
): Match[] {
  const places = new Map<number | undefined, number[]>();
  const taken = new Map<number[], number>();
  for (let at = left; at < right; at += 1) {
    const label = second[at]?.label;
    const of = places.get(label);
    if (of) of.push(at);
    else places.set(label, [at]);
  }
  const found: Match[] = [];
  for (let at = low; at < high; at += 1) {
    const of = places.get(first[at]?.label) ?? [];
    const order = taken.get(of) ?? 0;
    taken.set(of, order + 1);
    const beside = of[order];
    if (beside !== undefined) found.push([at, beside]);
  }
  return longestIncreasing(found);
}

/** The longest subsequence of pairs whose second places increase, too. */
function longestIncreasing(pairs: readonly Match[]): Match[] {
  const tails: number[] = [];
  const ends: number[] = [];
  const before: number[] = [];
  pairs.forEach(([, other], at) => {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tails[middle] ?? 0) < other) low = middle + 1;
      else high = middle;
    }
    before.push(low ? (ends[low - 1] ?? -1) : -1);
    tails[low] = other;
    ends[low] = at;
  });
  const chain: Match[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const pair = pairs[at];
    if (pair) chain.push(pair);
  }
  return chain.reverse();
}

/** The pairs with most points (Needleman and Wunsch, without a penalty for gaps). */
function optimal(
  first: readonly Item[],
  second: readonly Item[],
  [low, high, left, right]: Piece,
): Match[] {
  const width = right - left;
  const points = (at: number, beside: number) => {
    const [one, other] = [first[at], second[left + beside]];
    if (one?.label !== other?.label) return 0;
    return one?.signature === other?.signature ? SIGNATURE : LABEL;
  };
  const rows: Int32Array[] = new Array(high - low + 1);
  let below = new Int32Array(width + 1);
  rows[high - low] = below;
  for (let at = high - 1; at >= low; at -= 1) {
    const row = new Int32Array(width + 1);
    for (let beside = width - 1; beside >= 0; beside -= 1) {
      const most = Math.max(below[beside] ?? 0, row[beside + 1] ?? 0);
      const own = points(at, beside);
      row[beside] = own ? Math.max(most, (below[beside + 1] ?? 0) + own) : most;
    }
    rows[at - low] = row;
    below = row;
  }
  const pairs: Match[] = [];
  let [at, beside] = [low, 0];
  while (at < high && beside < width) {
    const [row, next] = [rows[at - low], rows[at - low + 1]];
    const own = points(at, beside);
    if (own && row?.[beside] === (next?.[beside + 1] ?? 0) + own) {
      pairs.push([at, left + beside]);
      at += 1;
      beside += 1;
    } else if (row?.[beside] === next?.[beside]) at += 1;
    else beside += 1;
  }
  return pairs;
}
