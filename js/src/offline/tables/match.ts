/** Matches names against a search text or `/…/` pattern, as `nbprof/model/filters/patterns.py` does. */
import type { Compile } from "../../patterns/main";
import { NeedsPython, Refused } from "../answerer";

export type Match = (text: string | null) => boolean;

/** The export of the script `patterns`, once it is loaded. */
let compile: Compile | undefined;

/** Whether a text is written as a regular expression, `/…/`. */
export function isPattern(text: string): boolean {
  return text.length > 2 && text.startsWith("/") && text.endsWith("/");
}

/** Load the compiler of regular expressions if a request contains one, and if it is available. */
export async function preparePatterns(
  params: unknown,
  load: () => Promise<Compile>,
): Promise<void> {
  if (!compile && holdsPattern(params)) compile = await load().catch(() => undefined);
}

/**
 * Return a function that tests whether a text matches.
 *
 * @throws Refused - the expression is invalid
 * @throws NeedsPython - the compiler of expressions is not available
 */
export function matcher(text: string): Match {
  if (isPattern(text)) {
    const matches = (compile ?? needsPython(text))(text.slice(1, -1));
    if (typeof matches === "string")
      throw new Refused(
        "FilterError",
        `name: ${text} is not a valid regular expression (${matches}).`,
      );
    return (name) => name !== null && matches(name);
  }
  const needle = folded(text);
  return (name) => name !== null && folded(name).includes(needle);
}

/**
 * The same, but null for an invalid expression, which may be incomplete while being typed.
 *
 * @throws NeedsPython - the compiler of expressions is not available
 */
export function matcherOrNone(text: string): Match | null {
  try {
    return matcher(text);
  } catch (error) {
    if (error instanceof NeedsPython) throw error;
    return null;
  }
}

function needsPython(text: string): never {
  throw new NeedsPython(`The expression ${text} needs Python.`);
}

function holdsPattern(value: unknown): boolean {
  if (typeof value === "string") return isPattern(value.trim());
  return value !== null && typeof value === "object" && Object.values(value).some(holdsPattern);
}

/** Fold the case as Python's casefold does: ß becomes ss, but ı does not become i. */
function folded(text: string): string {
  const plain = text.toLowerCase();
  if (ASCII.test(plain)) return plain;
  const every = plain.split("ı").map((part) => part.toUpperCase().toLowerCase());
  return every.join("ı").replaceAll("ς", "σ");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: every ASCII character is meant
export const ASCII = /^[\x00-\x7f]*$/;
