/** Names of operators and kernels, and frames of call stacks, as they are shown. */

/** Drop `void` and the argument list, which say little and are long. */
export function displayName(full: string): string {
  const name = full.trim().replace(/^void /, "");
  if (!name.endsWith(")")) return name;
  let depth = 0;
  for (let at = name.length - 1; at > 0; at -= 1) {
    if (name[at] === ")") depth += 1;
    else if (name[at] === "(") depth -= 1;
    // "Memcpy HtoD (Pageable -> Device)" has a space there, and keeps its end.
    if (depth === 0) return /\s/.test(name.charAt(at - 1)) ? name : name.slice(0, at);
  }
  return name;
}

/** Cut a text in the middle so that `fits` says yes; the last 14 to 18 characters stay. */
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

/** How recorders write modules before their name, which tables leave out. */
const MODULE = "(?:nn\\.Module: |\\[pl\\]\\[module\\])?";

/** The name filter that leaves exactly these names; of modules, with and without what marks them. */
export function exactPattern(names: readonly string[], modules = false): string {
  const escaped = [...new Set(names)].map((name) => name.replace(SPECIAL, "\\$&"));
  const all = escaped.length === 1 ? escaped[0] : `(?:${escaped.join("|")})`;
  return `/^${modules ? MODULE : ""}${all}$/`;
}

/** Undo `exactPattern` for the eye: "name is aten::add". Null for any other pattern. */
export function exactNames(pattern: string): string[] | null {
  const match = /^\/\^(?:\(\?:(.*)\)|(.*))\$\/$/s.exec(pattern.replace(MODULE, ""));
  if (!match) return null;
  const parts = match[1] !== undefined ? match[1].split(/(?<!\\)\|/) : [match[2] ?? ""];
  // What is still special after the escapes are gone was written by hand.
  if (parts.some((part) => /[.*+?^${}()|[\]]/.test(part.replace(/\\./gs, "")))) return null;
  return parts.map((part) => part.replace(/\\(.)/gs, "$1"));
}

export interface Frame {
  text: string;
  /** Code of the user, as opposed to a library. */
  user: boolean;
}

/** Files and folders of the standard library: recorders leave out where it is installed. */
const STANDARD =
  "(abc|copy|contextlib|csv|dataclasses|enum|functools|inspect|os|pathlib|pickle|queue|random|runpy|selectors|shutil|socket|socketserver|subprocess|tempfile|threading|types|typing|warnings|weakref|zipfile)\\.py\\(|(asyncio|collections|concurrent|ctypes|email|encodings|http|importlib|json|logging|multiprocessing|re|urllib)/";

/** Library code, by where its file lies or by what the profiler writes for what has no file. */
const LIBRARY = [
  /\/(site-packages|dist-packages|lib\/python[\d.]+)\//,
  /^(torch|torchvision|torchaudio|lightning|pytorch_lightning|transformers|accelerate)\//,
  /\/torch\/(nn|autograd|optim|utils|profiler|cuda|distributed|_\w+)\//,
  /^(IPython|ipykernel|traitlets|tornado|numpy|triton|functorch)\//,
  new RegExp(`^(?:${STANDARD})`),
  /^<(built-in|frozen)|^nn\.Module|\.(so|pyx)\b/,
];

/** Split a call stack; the frames keep the order of the source. */
export function parseStack(stack: string): Frame[] {
  return stack
    .split(";")
    .map((text) => text.trim())
    .filter(Boolean)
    .map((text) => ({ text, user: !LIBRARY.some((pattern) => pattern.test(text)) }));
}

/** Frames of the user one by one, with the library's between them together, as they stand. */
export function foldStack(frames: readonly Frame[]): Frame[][] {
  const groups: Frame[][] = [];
  for (const frame of frames) {
    const last = groups.at(-1);
    if (last && !frame.user && last[0]?.user === false) last.push(frame);
    else groups.push([frame]);
  }
  return groups;
}

/** Where a frame is, as editors open it: "train.py:7"; null for what has no file. */
export function placeOf({ text }: Frame): string | null {
  const match = /^([^<].*)\((\d+)\): /.exec(text);
  return match ? `${match[1]}:${match[2]}` : null;
}
