/** What the widget does where there is no Python: finds what came with it, and lets that answer. */

import type { Answers } from "../offline/answerer";
import { readRows } from "../values/arrow";
import type { Scripts } from "./scripts";
import { canonical, Snapshot } from "./snapshot";

/** What the script `offline` brings. */
type Open = (snapshot: Snapshot) => Answers;

/**
 * Open what a view, or a page, keeps.
 *
 * @throws Error - it cannot be read, or the page forbids the script that answers
 */
export async function openSnapshot(trait: object, scripts: Scripts): Promise<Answers> {
  const snapshot = readSnapshot(bytesOf(trait));
  const open = await scripts.load<Open>("offline");
  return open(snapshot);
}

/** Undo zlib. */
export async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const packed = new Blob([bytes as BlobPart]).stream();
  const plain = packed.pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

/** @throws SnapshotError - the bytes cannot be read */
export function readSnapshot(bytes: Uint8Array): Snapshot {
  return Snapshot.read(bytes, readRows);
}

/** Whether tables under a filter can be answered. */
export function covers(answers: Answers, filter: object): boolean {
  const made = answers.snapshot.header.filter;
  return changedFields(made, filter).every((field) => !answers.lacks(`filter:${field}`));
}

/** The fields in which two filters differ. */
export function changedFields(before: object, after: object): string[] {
  const [one, other] = [before, after] as Record<string, unknown>[];
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].filter((field) => canonical(one?.[field]) !== canonical(other?.[field]));
}

/** Whether a trait of bytes holds any. */
export function hasBytes(trait: unknown): trait is ArrayBuffer | ArrayBufferView {
  if (trait instanceof ArrayBuffer) return trait.byteLength > 0;
  return ArrayBuffer.isView(trait) && trait.byteLength > 0;
}

/** Hosts differ in how they hold bytes. Arrow's reader needs them aligned. */
export function bytesOf(trait: object): Uint8Array {
  if (trait instanceof ArrayBuffer) return new Uint8Array(trait);
  if (!ArrayBuffer.isView(trait)) return new Uint8Array();
  const bytes = new Uint8Array(trait.buffer, trait.byteOffset, trait.byteLength);
  return bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
}
