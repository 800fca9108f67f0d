/** Prepares names and call stacks for display, and converts names to exact name filters. */

/** Short labels of kernels, by the hashes of their names; see `nbprof/model/names/kernel_labels.py`. */
export const labels: Partial<Record<string, string>> = {};

/** The 32-bit FNV-1a hash of a text in UTF-8. */
export function fnv1a(text: string): number {
  let value = 2166136261;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 16777619);
  return value >>> 0;
}

/** The label of a kernel, or a name without `void` and its argument list. */
export function displayName(full: string): string {
  const name = labels[fnv1a(full)] ?? full.trim().replace(/^void /, "");
  if (!name.endsWith(")")) return name;
  let depth = 0;
  for (let at = name.length - 1; at > 0; at -= 1) {
    if (name[at] === ")") depth += 1;
    else if (name[at] === "(") depth -= 1;
    // "Memcpy HtoD (Pageable -> Device)" and labels have a space before the bracket, so it is kept.
    if (depth === 0) return /\s/.test(name.charAt(at - 1)) ? name : name.slice(0, at);
  }
  return name;
}

/** Cut a text in the middle until `fits` accepts it; at most `most` characters of its end stay. */
export function middleCut(text: string, fits: (text: string) => boolean, most = 18): string {
  if (fits(text)) return text;
  let low = 4;
  let high = text.length - 1;
  const cut = (length: number) => {
    const tail = Math.min(most, Math.floor((length - 1) * 0.45));
    return `${text.slice(0, length - 1 - tail)}…${text.slice(text.length - tail)}`;
  };
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(cut(middle))) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

/** Characters of the end that stay. */
const MOST_TAIL = 60;
/** Names that differ in a few of many parts are distinguished part by part. */
const ROUNDS = 4;

/**
 * Shorten the names of a column, each once; names that would look alike show where they differ.
 *
 * @param fits - whether the text of a row is narrow enough
 */
export function shortNames(
  names: readonly string[],
  fits: (text: string, row: number) => boolean,
): string[] {
  return apart(names.map(displayName), fits);
}

/** Shorten texts as `shortNames` does, as they are. */
export function apart(
  shown: readonly string[],
  fits: (text: string, row: number) => boolean,
): string[] {
  const cut = shown.map((text, row) => middleCut(text, (one) => fits(one, row), MOST_TAIL));
  for (let round = 0; round < ROUNDS; round += 1) {
    const alike = new Map<string, number[]>();
    for (const [row, text] of cut.entries()) alike.set(text, [...(alike.get(text) ?? []), row]);
    for (const rows of alike.values()) {
      const texts = [...new Set(rows.map((row) => shown[row] ?? ""))];
      if (texts.length < 2) continue;
      const from = differAt(texts);
      for (const row of rows) cut[row] = cutAt(shown[row] ?? "", from, (one) => fits(one, row));
    }
  }
  return cut;
}

/** The first place where texts differ. */
function differAt([first = "", ...others]: readonly string[]): number {
  let at = 0;
  while (at < first.length && others.every((other) => other[at] === first[at])) at += 1;
  return at;
}

/** Cut a text so that its beginning and the text from `from` on stay. */
function cutAt(text: string, from: number, fits: (text: string) => boolean): string {
  const cut = (length: number) => {
    const head = Math.max(4, Math.floor(length * 0.4));
    const start = Math.max(head, from - 6);
    const end = start + length - head;
    const middle = start > head ? "…" : "";
    return `${text.slice(0, head)}${middle}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
  };
  let low = 8;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(cut(middle))) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

const SPECIAL = /[.*+?^${}()|[\]\\/#&~\- ]/g;

/** The prefixes of module names in traces, which tables leave out. */
const MODULE = "(?:nn\\.Module: |\\[pl\\]\\[module\\])?";

/** The name filter that keeps exactly these names; module names match with and without prefix. */
export function exactPattern(names: readonly string[], modules = false): string {
  const escaped = [...new Set(names)].map(escapedName);
  const all = escaped.length === 1 ? escaped[0] : `(?:${escaped.join("|")})`;
  return `/^${modules ? MODULE : ""}${all}$/`;
}

/** Escape the special characters of patterns in a name. */
export function escapedName(name: string): string {
  return name.replace(SPECIAL, "\\$&");
}

/** Recover the names of an `exactPattern` for display; null for any other pattern. */
export function exactNames(pattern: string): string[] | null {
  const match = /^\/\^(?:\(\?:(.*)\)|(.*))\$\/$/s.exec(pattern.replace(MODULE, ""));
  if (!match) return null;
  const parts = match[1] !== undefined ? match[1].split(/(?<!\\)\|/) : [match[2] ?? ""];
  // Remaining special characters show that the pattern was written by hand.
  if (parts.some((part) => /[.*+?^${}()|[\]]/.test(part.replace(/\\./gs, "")))) return null;
  return parts.map((part) => part.replace(/\\(.)/gs, "$1"));
}

export interface Frame {
  text: string;
  /** Whether it is the user's code, not a library's. */
  user: boolean;
}

/** Files and folders of the standard library, whose install path recorders leave out. */
const STANDARD =
  "(abc|copy|contextlib|csv|dataclasses|enum|functools|inspect|os|pathlib|pickle|queue|random|runpy|selectors|shutil|socket|socketserver|subprocess|tempfile|threading|types|typing|warnings|weakref|zipfile)\\.py\\(|(asyncio|collections|concurrent|ctypes|email|encodings|http|importlib|json|logging|multiprocessing|re|urllib)/";

/** Patterns of library code: by file path, or by what profilers write where there is no file. */
const LIBRARY = [
  /\/(site-packages|dist-packages|lib\/python[\d.]+)\//,
  /^(torch|torchvision|torchaudio|lightning|pytorch_lightning|transformers|accelerate)\//,
  /\/torch\/(nn|autograd|optim|utils|profiler|cuda|distributed|_\w+)\//,
  /^(IPython|ipykernel|traitlets|tornado|numpy|triton|functorch)\//,
  new RegExp(`^(?:${STANDARD})`),
  /^<(built-in|frozen)|^nn\.Module|\.(so|pyx)\b/,
];

/** Split a call stack into frames, in the order of the text. */
export function parseStack(stack: string): Frame[] {
  return stack
    .split(";")
    .map((text) => text.trim())
    .filter(Boolean)
    .map((text) => ({ text, user: !LIBRARY.some((pattern) => pattern.test(text)) }));
}
