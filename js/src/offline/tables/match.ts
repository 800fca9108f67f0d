/** Which names a search finds, as `match_names` of `nbprof/model/filters/filter.py` does. */
import { NeedsPython } from "../answerer";
import { compile } from "./expression";

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

/**
 * The same, but null for what is no valid expression: somebody may still be typing it.
 *
 * @throws NeedsPython - it may be valid, but only Python can tell what it finds
 */
export function matcherOrNone(text: string): Match | null {
  try {
    return matcher(text);
  } catch (error) {
    if (error instanceof NeedsPython) throw error;
    return null;
  }
}

/** Texts are equal here if Python's casefold makes the same of them: ß is ss, but ı is no i. */
function folded(text: string): string {
  const plain = text.toLowerCase();
  if (ASCII.test(plain)) return plain;
  const every = plain.split("ı").map((part) => part.toUpperCase().toLowerCase());
  return every.join("ı").replaceAll("ς", "σ");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: every ASCII character is meant
export const ASCII = /^[\x00-\x7f]*$/;
