/** What `js/build.mjs` puts in. */

/** Tells the scripts of one build from those of another. */
declare const NBPROF_BUILD: string;

declare module "nbprof:shared" {
  /** What the other scripts use of the core, by name. */
  export function shared(): Record<string, unknown>;
}

declare module "nbprof:offline-parts" {
  import type { OfflinePart } from "./offline/part";
  /** What each view answers and draws without Python, by its name: `src/views/<name>/offline.ts`. */
  export const parts: Readonly<Record<string, OfflinePart>>;
}
