/** What a brush over bins means as conditions in the search of a table, and the other way round. */
import type { Page, Spread } from "../core/protocol/protocol";

export type Conditions = NonNullable<Page["conditions"]>;
export type Bins = readonly [first: number, last: number];

/** The search of a table, and the conditions that it consists of. */
interface Searched {
  search: string;
  conditions: Conditions;
}

/**
 * The search that keeps the rows of some bins of a column beside its other conditions.
 *
 * @param bins - null to keep all rows of the column
 * @param hasNames - whether the table has names, in which a search that is plain text goes on
 */
export function searchOf(
  { search, conditions }: Searched,
  column: string,
  { edges, single }: Spread,
  bins: Bins | null,
  hasNames: boolean,
): string {
  const parts = search.split(" & ");
  const plain = search && hasNames && parts.length === 1 ? [`name : ${search}`] : [];
  const others = conditions.length
    ? parts.filter((_, at) => conditions[at]?.[0] !== column)
    : plain;
  if (!bins) return others.join(" & ");
  const [first, last] = bins;
  const low = edges[first];
  const own =
    single && first === last
      ? [`${column} = ${low}`]
      : [
          `${column} >= ${low}`,
          single
            ? `${column} <= ${edges[last]}`
            : `${column} ${last + 2 === edges.length ? "<=" : "<"} ${edges[last + 1]}`,
        ];
  return [...others, ...own].join(" & ");
}

/** Which bins of a column may hold rows that its conditions keep; null without conditions. */
export function keptBins(
  column: string,
  { edges, single }: Spread,
  conditions: Conditions,
): boolean[] | null {
  const own = conditions.filter(([name]) => name === column);
  if (!own.length) return null;
  return edges.slice(1).map((end, at) => {
    const low = edges[at] ?? 0;
    const closed = single || at + 2 === edges.length;
    const high = single ? low : end;
    const reaches = (value: number) => (closed ? high >= value : high > value);
    return own.every(([, operator, value]) => {
      if (typeof value !== "number") return false;
      if (operator === ">") return high > value;
      if (operator === ">=") return reaches(value);
      if (operator === "<") return low < value;
      if (operator === "<=") return low <= value;
      if (operator === "=") return low <= value && reaches(value);
      return !(single && low === value);
    });
  });
}
