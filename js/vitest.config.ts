import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** What `build.mjs` puts in; scripts are there from the start, see `tests/views.ts`. */
const BUILT: Record<string, string> = {
  "nbprof:shared": "export const shared = () => ({});",
  "nbprof:offline-parts": `
    const found = import.meta.glob("/src/views/*/offline.ts", { eager: true, import: "default" });
    const named = Object.entries(found).map(([path, part]) => [path.split("/").at(-2), part]);
    export const parts = Object.fromEntries(named);`,
};

/** What a test says that replaces parts of the page, or leaves them behind for the next file. */
const CHANGES_THE_PAGE = /stubGlobal|__nbprofScripts|\/shown"/;

const files = readdirSync("tests", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `tests/${name}`);
const alone = files.filter((name) => CHANGES_THE_PAGE.test(readFileSync(name, "utf8")));

export default defineConfig({
  define: { NBPROF_BUILD: JSON.stringify("test") },
  plugins: [
    {
      name: "as-built",
      resolveId: (id) => (id in BUILT ? id : null),
      load: (id) => BUILT[id] ?? null,
    },
    {
      name: "css-as-text",
      enforce: "pre",
      load: (id) => (id.endsWith(".css") ? "export default '.nbp{}'" : null),
    },
  ],
  test: {
    environment: "happy-dom",
    pool: "threads", // starts faster than processes do
    setupFiles: ["tests/setup.ts"],
    testTimeout: 60_000,
    maxWorkers: 3, // tests wait more than they compute; by default two processors have one worker
    // To make a page and to run all modules again takes most of the time of a file, so most files
    // share both with the files before.
    projects: [
      {
        extends: true,
        test: { name: "one page", isolate: false, include: files, exclude: alone },
      },
      { extends: true, test: { name: "a page each", include: alone } },
    ],
  },
});
