/** Which names a search finds, as `match_names` of `nbprof/model/filter.py` does. */
import { NeedsPython, Refused } from "./answerer";

export type Match = (text: string | null) => boolean;

/** Whether a text is written as a regular expression, `/…/`. */
export function isPattern(text: string): boolean {
  return text.length > 2 && text.startsWith("/") && text.endsWith("/");
}

/**
 * @throws Refused - it is no valid expression
 * @throws NeedsPython - it may be valid, but only Python can tell what it finds
 */
export function matcher(text: string): Match {
  if (isPattern(text)) {
    const pattern = compile(text.slice(1, -1), text);
    return (name) => name !== null && pattern.test(name);
  }
  const needle = folded(text);
  return (name) => name !== null && folded(name).includes(needle);
}

/** What Python's casefold makes of a text, near enough: ß is ss, and every case is one. */
function folded(text: string): string {
  const plain = text.toLowerCase();
  return ASCII.test(plain) ? plain : text.toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: every ASCII character is meant
export const ASCII = /^[\x00-\x7f]*$/;

/** Python's way to write an expression, as the browser writes it. */
const REWRITTEN: [RegExp, string][] = [
  [/\(\?P</g, "(?<"],
  [/\(\?P=(\w+)\)/g, "\\k<$1>"],
  [/\\A/g, "^"],
  [/\\Z/g, "$"],
  [/^\(\?i\)/, ""],
];

function compile(source: string, text: string): RegExp {
  const rewritten = REWRITTEN.reduce((found, [from, to]) => found.replace(from, to), source);
  for (const flags of ["iu", "i"]) {
    try {
      return new RegExp(rewritten, flags);
    } catch {} // without "u" more is allowed
  }
  if (/\(\?|[*+?}]\+/.test(source)) throw new NeedsPython(`The expression ${text} needs a kernel.`);
  throw new Refused("FilterError", `name: ${text} is not a valid regular expression.`);
}
