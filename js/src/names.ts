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

/** The name filter that leaves exactly these names. */
export function exactPattern(names: readonly string[]): string {
  const escaped = [...new Set(names)].map((name) => name.replace(SPECIAL, "\\$&"));
  return escaped.length === 1 ? `/^${escaped[0]}$/` : `/^(?:${escaped.join("|")})$/`;
}

/** Undo `exactPattern` for the eye: "name is aten::add". Null for any other pattern. */
export function exactNames(pattern: string): string[] | null {
  const match = /^\/\^(?:\(\?:(.*)\)|(.*))\$\/$/s.exec(pattern);
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

/** Library code, by where its file lies or by what the profiler writes for what has no file. */
const LIBRARY = [
  /\/(site-packages|dist-packages|lib\/python[\d.]+)\//,
  /^(torch|torchvision|torchaudio|lightning|pytorch_lightning|transformers|accelerate)\//,
  /\/torch\/(nn|autograd|optim|utils|profiler|cuda|distributed|_\w+)\//,
  /^(IPython|ipykernel|traitlets|asyncio|concurrent|multiprocessing|importlib)\//,
  /^(threading|runpy|contextlib|queue|selectors|socketserver)\.py/,
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
