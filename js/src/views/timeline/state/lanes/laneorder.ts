/** The order of lanes and groups: as the trait `lanes` says, else as Python sent them. */
import type { Layout } from "../../data/messages";

/** Keys of the members of one group, or of all groups, in default order. */
export function siblingsOf({ groups, lanes, tracks }: Layout, key: string): string[] {
  const members = [...lanes, ...tracks];
  const group = members.find((member) => member.key === key)?.group;
  if (group === undefined) return groups.map((each) => each.key);
  return members.flatMap((member) => (member.group === group ? [member.key] : []));
}

/** Sort by position in an order; items that it does not name follow in their previous order. */
export function inOrder<T extends { key: string }>(
  items: readonly T[],
  order: readonly string[],
): readonly T[] {
  if (!order.length) return items;
  const places = new Map(order.map((key, place) => [key, place]));
  const placeOf = ({ key }: T) => places.get(key) ?? order.length;
  return [...items].sort((a, b) => placeOf(a) - placeOf(b));
}

/** Move a key before another, or to the end. */
export function withMoved(keys: readonly string[], key: string, before: string | null): string[] {
  const rest = keys.filter((other) => other !== key);
  const found = before === null ? -1 : rest.indexOf(before);
  const at = found < 0 ? rest.length : found;
  return [...rest.slice(0, at), key, ...rest.slice(at)];
}

/**
 * Return an order in which a key comes before one of its siblings, or after all.
 *
 * The order leaves out siblings at the end that are in their default position. Keys of other groups
 * and other traces stay.
 */
export function reordered(
  order: readonly string[],
  usual: readonly string[],
  key: string,
  before: string | null,
): string[] {
  const now = inOrder(
    usual.map((each) => ({ key: each })),
    order,
  ).map((each) => each.key);
  const wanted = withMoved(now, key, before);
  const places = new Map(usual.map((each, place) => [each, place]));
  const placeOf = (at: number) => places.get(wanted[at] as string) ?? 0;
  let named = wanted.length - 1;
  while (named > 0 && placeOf(named - 1) < placeOf(named)) named -= 1;
  if (named === 0) return order.filter((each) => !places.has(each));
  return [...order.filter((each) => !places.has(each)), ...wanted.slice(0, named)];
}
