/** Prepares names and call stacks for display, and converts names to exact name filters. */

/** Drop `void` and the argument list from a kernel name. */
export function displayName(full: string): string {
  const name = full.trim().replace(/^void /, "");
  if (!name.endsWith(")")) return name;
  let depth = 0;
  for (let at = name.length - 1; at > 0; at -= 1) {
    if (name[at] === ")") depth += 1;
    else if (name[at] === "(") depth -= 1;
    // "Memcpy HtoD (Pageable -> Device)" has a space before the bracket, so it is kept.
    if (depth === 0) return /\s/.test(name.charAt(at - 1)) ? name : name.slice(0, at);
  }
  return name;
}

/** Cut a text in the middle until `fits` accepts it; the last 14 to 18 characters stay. */
export function middleCut(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) return text;
  let low = 4;
  let high = text.length - 1;
  const cut = (length: number) => {
    const tail = Math.min(18, Math.floor((length - 1) * 0.45));
    return `${text.slice(0, length - 1 - tail)}…${text.slice(text.length - tail)}`;
  };
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

/** The name filter that keeps exactly these names; of modules, with and without their prefix. */
export function exactPattern(names: readonly string[], modules = false): string {
  const escaped = [...new Set(names)].map((name) => name.replace(SPECIAL, "\\$&"));
  const all = escaped.length === 1 ? escaped[0] : `(?:${escaped.join("|")})`;
  return `/^${modules ? MODULE : ""}${all}$/`;
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

/** Group frames: each user frame alone, consecutive library frames together. */
export function foldStack(frames: readonly Frame[]): Frame[][] {
  const groups: Frame[][] = [];
  for (const frame of frames) {
    const last = groups.at(-1);
    if (last && !frame.user && last[0]?.user === false) last.push(frame);
    else groups.push([frame]);
  }
  return groups;
}

/** The location of a frame as editors open it: "train.py:7"; null without a file. */
export function placeOf({ text }: Frame): string | null {
  const match = /^([^<].*)\((\d+)\): /.exec(text);
  return match ? `${match[1]}:${match[2]}` : null;
}
