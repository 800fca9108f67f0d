/** Assigns colour slots to names and shortens names, as `nbprof/model/names/short_names.py` does. */
import { displayName, fnv1a, labels } from "../../values/names";

const SLOTS = 10;

const NAMESPACES = /^(?:(?:[\w~]+|\(anonymous namespace\)|\{anonymous\})::)+(?=.)/u;

/** The stem that an operator shares with its in-place and backward forms. */
export function stem(name: string): string {
  const plain = name.replace(/^(?:aten|prims|torch::autograd)::/, "");
  return plain
    .replace(/_?backward\w*$/i, "")
    .replace(/_+$/, "")
    .toLowerCase();
}

/** Return a function that maps each name to its slot; the names are ranked, largest first. */
export function colorSlots(ranked: Iterable<string>): (name: string) => number {
  const slots = new Map<string, number>();
  const taken = new Set<number>();
  for (const name of ranked) {
    if (slots.size === SLOTS) break;
    if (slots.has(name)) continue;
    let slot = fnv1a(name) % SLOTS;
    while (taken.has(slot)) slot = (slot + 1) % SLOTS;
    taken.add(slot);
    slots.set(name, slot);
  }
  return (name) => slots.get(name) ?? fnv1a(stem(name)) % SLOTS;
}

/** Shorten a name for a chart: drop return type, argument list and leading namespaces. */
export function shortName(full: string): string {
  const name = displayName(full);
  if (labels[fnv1a(full)]) return name;
  const hasArguments = name.length < full.trim().replace(/^void /, "").length;
  return (hasArguments ? withoutReturnType(name) : name).replace(NAMESPACES, "");
}

/** Keep what follows the last space outside all brackets. */
function withoutReturnType(name: string): string {
  let depth = 0;
  let start = 0;
  for (let at = 0; at < name.length; at += 1) {
    const letter = name.charAt(at);
    if ("<({[".includes(letter)) depth += 1;
    else if (")}]".includes(letter) || (letter === ">" && name.charAt(at - 1) !== "-"))
      depth = Math.max(depth - 1, 0);
    if (letter === " " && depth === 0 && !name.startsWith("const", at + 1)) start = at + 1;
  }
  return name.slice(start);
}
