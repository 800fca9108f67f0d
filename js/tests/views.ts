/// <reference types="vite/client" />
/** What the scripts of the views, and the one that answers without Python, would bring to a page. */
import openOffline from "../src/offline/main";
import picking from "../src/picking/main";
import stacks from "../src/stacks/main";
import equip from "../src/tools/main";

type Page = typeof globalThis & { __nbprofScripts?: Map<string, () => unknown> };

const found = import.meta.glob<{ default: unknown }>("../src/views/*/index.ts", { eager: true });

const later = import.meta.glob<{ default: unknown }>("../src/views/*/later/index.ts", {
  eager: true,
});

const scripts = new Map<string, () => unknown>([
  [`${NBPROF_BUILD}/offline`, () => openOffline],
  [`${NBPROF_BUILD}/picking`, () => picking],
  [`${NBPROF_BUILD}/stacks`, () => stacks],
  [`${NBPROF_BUILD}/tools`, () => equip],
  ...Object.entries(found).map(([path, module]): [string, () => unknown] => [
    `${NBPROF_BUILD}/${path.split("/").at(-2)}`,
    () => module.default,
  ]),
  ...Object.entries(later).map(([path, module]): [string, () => unknown] => [
    `${NBPROF_BUILD}/${path.split("/").at(-3)}.later`,
    () => module.default,
  ]),
]);
(globalThis as Page).__nbprofScripts = scripts;
