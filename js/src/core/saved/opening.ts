/** Opens the saved state of a saved notebook or page, and loads the script that answers from it. */

import type { Answers } from "../../offline/answerer";
import { readRows } from "../../values/arrow";
import type { Scripts } from "../scripts/scripts";
import { sameValue } from "../state/equality";
import { SavedState } from "./savedstate";

/** The export of the script `offline`. */
type Open = (saved: SavedState, load: <T>(name: string) => Promise<T>) => Answers;

/**
 * Open the saved state of a view or page.
 *
 * @throws Error - it cannot be read, or the page forbids the script that answers
 */
export async function openSavedState(trait: object, scripts: Scripts): Promise<Answers> {
  const saved = readSavedState(bytesOf(trait));
  const open = await scripts.load<Open>("offline");
  return open(saved, (name) => scripts.load(name));
}

/** Decompress zlib data. */
export async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const packed = new Blob([bytes as BlobPart]).stream();
  const plain = packed.pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

/** @throws SavedStateError - the bytes cannot be read */
export function readSavedState(bytes: Uint8Array): SavedState {
  return SavedState.read(bytes, readRows);
}

/** Whether the saved state can answer for tables under a filter. */
export function covers(answers: Answers, filter: object): boolean {
  const made = answers.saved.header.filter;
  return changedFields(made, filter).every((field) => !answers.lacks(`filter:${field}`));
}

/** The names of the fields in which two filters differ. */
export function changedFields(before: object, after: object): string[] {
  const [one, other] = [before, after] as Record<string, unknown>[];
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].filter((field) => !sameValue(one?.[field], other?.[field]));
}

/** Whether a trait holds bytes. */
export function hasBytes(trait: unknown): trait is ArrayBuffer | ArrayBufferView {
  if (trait instanceof ArrayBuffer) return trait.byteLength > 0;
  return ArrayBuffer.isView(trait) && trait.byteLength > 0;
}

/** The bytes of a trait, whatever the host's type; aligned, as Arrow's reader needs them. */
export function bytesOf(trait: object): Uint8Array {
  if (trait instanceof ArrayBuffer) return new Uint8Array(trait);
  if (!ArrayBuffer.isView(trait)) return new Uint8Array();
  const bytes = new Uint8Array(trait.buffer, trait.byteOffset, trait.byteLength);
  return bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
}
