/** What the widget does where there is no Python: finds what came with it, and lets that answer. */

import { runScript } from "../chart/bokeh";
import type { Answers } from "../offline/answerer";
import {
  canonical,
  type OfflinePage,
  SNAPSHOT_VERSION,
  Snapshot,
} from "../offline/tables/snapshot";
import { readRows } from "../values/arrow";

const page = globalThis as OfflinePage;

/**
 * Open what a view, or a page, keeps.
 *
 * What answers comes with it, or stands in the page already.
 *
 * @throws Error - it cannot be read, or the page forbids its script
 */
export async function openSnapshot(trait: object): Promise<Answers> {
  const bytes = bytesOf(trait);
  const snapshot = readSnapshot(bytes);
  if (!page.__nbprofOffline?.has(SNAPSHOT_VERSION)) {
    const script = await snapshot.bytes("script");
    if (!script) throw new Error("It came without the script that reads it.");
    await runScript(script, "module");
  }
  const open = page.__nbprofOffline?.get(SNAPSHOT_VERSION);
  if (!open) throw new Error("Its script did not start.");
  return open(snapshot);
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
