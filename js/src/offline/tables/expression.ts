/**
 * Python's regular expressions in the browser's words: what means the same in both is rewritten,
 * and all else is left to Python, so that no name is found here that Python would not find.
 */
import { NeedsPython, Refused } from "../answerer";

/** What stands for `\d`, `\s` and `\w` of Python, inside brackets. */
const SETS: Record<string, string> = {
  d: "\\p{Nd}",
  s: "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000",
  w: "\\p{L}\\p{N}_",
};
const WORD = `[${SETS.w}]`;

/** Assertions, which cannot be repeated. */
const PLACES: Record<string, string> = {
  A: "^",
  Z: "$",
  b: `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`,
};

const CONTROLS: Record<string, number> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };
/** How many digits follow these. */
const HEX: Record<string, number> = { x: 2, u: 4, U: 8 };
/** Python takes these for one letter where case does not matter. */
const DOTS = "iI\u0130\u0131";

/**
 * Compile what stands between the slashes of a search.
 *
 * @throws Refused - Python takes it for no expression
 * @throws NeedsPython - it may mean something else, or nothing, in the browser
 */
export function compile(source: string, text: string): RegExp {
  const written = new Translation(source, text).whole();
  try {
    return new RegExp(written, "iu");
  } catch {
    throw needsPython(text);
  }
}

function needsPython(text: string): NeedsPython {
  return new NeedsPython(`The expression ${text} needs Python.`);
}

/** A character, or one of the sets `dDsSwW`. */
type Item = number | string;

class Translation {
  readonly #chars: string[];
  #at = 0;

  constructor(
    source: string,
    private readonly text: string,
  ) {
    this.#chars = [...source];
  }

  whole(): string {
    this.#take("(?i)"); // case does not matter anyway
    const found = this.#choices();
    if (this.#at < this.#chars.length) throw this.#broken();
    return found;
  }

  /** Up to the bracket that closes the group, or the end. */
  #choices(): string {
    let found = "";
    let repeatable = false;
    for (let char = this.#peek(); char !== undefined && char !== ")"; char = this.#peek()) {
      const repeat = this.#repeat();
      if (repeat !== null) {
        if (!repeatable) throw this.#broken();
        found += repeat;
        repeatable = false;
        continue;
      }
      this.#at += 1;
      repeatable = !"^$|".includes(char);
      if (char === "\\") {
        const place = PLACES[this.#peek() ?? ""];
        repeatable = place === undefined;
        if (place !== undefined) this.#at += 1;
        found += place ?? setOf([this.#escaped(false)], false);
      } else if (char === "$") found += "(?=\\n?$)";
      else if (char === "^" || char === "|") found += char;
      else if (char === ".") found += "[^\\n]";
      else if (char === "(") found += this.#group();
      else found += char === "[" ? this.#set() : setOf([char.codePointAt(0) as number], false);
    }
    return found;
  }

  /** A repetition that stands here; null where none does. */
  #repeat(): string | null {
    const rest = this.#chars.slice(this.#at, this.#at + 16).join("");
    const [whole, low, comma, high] = /^(?:[*+?]|\{(?!\})(\d*)(,?)(\d*)\})/.exec(rest) ?? [];
    if (whole === undefined) return null;
    this.#at += whole.length;
    const lazy = this.#take("?") ? "?" : "";
    if (this.#peek() === "+") throw needsPython(this.text);
    if (whole.length === 1) return whole + lazy;
    if ((low ?? "").length > 4 || (high ?? "").length > 4) throw needsPython(this.text);
    if (low && high && Number(low) > Number(high)) throw this.#broken();
    return `{${low || 0}${comma}${high}}${lazy}`;
  }

  #group(): string {
    let kind = "(?:";
    if (this.#take("?=")) kind = "(?=";
    else if (this.#take("?!")) kind = "(?!";
    else if (this.#take("?P<")) this.#name();
    else if (!this.#take("?:") && this.#peek() === "?") throw needsPython(this.text);
    const inside = this.#choices();
    if (!this.#take(")")) throw this.#broken();
    return `(?:${kind}${inside}))`; // what looks ahead can be repeated, too
  }

  /** A name changes nothing as long as nothing refers to it, and no other is called the same. */
  readonly #names = new Set<string>();

  #name(): void {
    const end = this.#chars.indexOf(">", this.#at);
    const name = this.#chars.slice(this.#at, Math.max(end, this.#at)).join("");
    if (!/^[A-Za-z_]\w*$/.test(name) || this.#names.has(name)) throw needsPython(this.text);
    this.#names.add(name);
    this.#at = end + 1;
  }

  #set(): string {
    const negative = this.#take("^");
    const items: (Item | [low: number, high: number])[] = [];
    while (!items.length || this.#peek() !== "]") {
      const low = this.#member();
      const ranges = this.#peek() === "-" && this.#chars[this.#at + 1] !== "]";
      if (!ranges) {
        items.push(low);
        continue;
      }
      this.#at += 1;
      const high = this.#member();
      if (typeof low !== "number" || typeof high !== "number" || low > high) throw this.#broken();
      if (high > 0x7f) throw needsPython(this.text);
      items.push([low, high]);
    }
    this.#at += 1;
    return setOf(items, negative);
  }

  #member(): Item {
    const char = this.#peek();
    if (char === undefined) throw this.#broken();
    this.#at += 1;
    return char === "\\" ? this.#escaped(true) : (char.codePointAt(0) as number);
  }

  /** What comes after a backslash. */
  #escaped(inSet: boolean): Item {
    const char = this.#peek();
    if (char === undefined) throw this.#broken();
    this.#at += 1;
    if ("dDsSwW".includes(char)) return char;
    const control = CONTROLS[char];
    if (control !== undefined && (inSet || char !== "b")) return control;
    // References, names of characters, and what newer versions of Python see in another way.
    if (/[0-9NzB]/.test(char)) throw needsPython(this.text);
    const digits = HEX[char];
    if (digits === undefined) {
      if (/[A-Za-z]/.test(char)) throw this.#broken();
      return char.codePointAt(0) as number;
    }
    const hex = this.#chars.slice(this.#at, this.#at + digits).join("");
    if (!/^[0-9a-f]+$/i.test(hex) || hex.length < digits) throw this.#broken();
    this.#at += digits;
    const code = Number.parseInt(hex, 16);
    if (code > 0x10ffff) throw this.#broken();
    return code;
  }

  #peek(): string | undefined {
    return this.#chars[this.#at];
  }

  #take(text: string): boolean {
    const found = this.#chars.slice(this.#at, this.#at + text.length).join("") === text;
    if (found) this.#at += text.length;
    return found;
  }

  #broken(): Refused {
    return new Refused("FilterError", `name: ${this.text} is not a valid regular expression.`);
  }
}

/** One character out of some, or any but these. */
function setOf(items: readonly (Item | [number, number])[], negative: boolean): string {
  const others: string[] = [];
  let inside = "";
  for (const item of items) {
    if (typeof item === "string") {
      const set = SETS[item.toLowerCase()] ?? "";
      if (item === item.toLowerCase()) inside += set;
      else others.push(`[^${set}]`);
      continue;
    }
    const [low, high] = typeof item === "number" ? [item, item] : item;
    inside += `${code(low)}-${code(high)}`;
    const dotted = [...DOTS].some((char) => within(char.codePointAt(0) as number, low, high));
    if (dotted) inside += DOTS;
  }
  if (!others.length) return `[${negative ? "^" : ""}${inside}]`;
  const any = [...others, ...(inside ? [`[${inside}]`] : [])].join("|");
  return negative ? `(?:(?!${any})[^])` : `(?:${any})`;
}

function within(value: number, low: number, high: number): boolean {
  return value >= low && value <= high;
}

function code(point: number): string {
  return `\\u{${point.toString(16)}}`;
}
