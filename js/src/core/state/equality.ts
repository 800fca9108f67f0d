/** `sameValue`: compares plain values by content. All state is compared this way. */

/**
 * Compare plain values by content. An undefined field counts as missing, as in JSON; bytes and other
 * class instances are equal only if they are the same object.
 */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, at) => sameValue(item, b[at]));
  if (!isPlain(a) || !isPlain(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => sameValue(a[name], b[name]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && value.constructor === Object;
}
