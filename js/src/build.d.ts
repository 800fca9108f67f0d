/** Declares the constants and modules that `js/build.mjs` inserts. */

/** Identifies the build: scripts of different builds are not mixed. */
declare const NBPROF_BUILD: string;

declare module "nbprof:shared" {
  /** The modules of the core that other scripts import, by name. */
  export function shared(): Record<string, unknown>;
}

declare module "nbprof:offline-parts" {
  import type { OfflinePart } from "./offline/offlinepart";
  /** The offline part of each view by its name: `src/views/<name>/offline.ts`. */
  export const parts: Readonly<Record<string, OfflinePart>>;
}
