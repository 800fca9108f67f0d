import { defineConfig } from "vitest/config";

/** What `build.mjs` puts in; scripts are there from the start, see `tests/views.ts`. */
const BUILT: Record<string, string> = {
  "nbprof:shared": "export const shared = () => ({});",
  "nbprof:offline-parts": `
    const found = import.meta.glob("/src/views/*/offline.ts", { eager: true, import: "default" });
    const named = Object.entries(found).map(([path, part]) => [path.split("/").at(-2), part]);
    export const parts = Object.fromEntries(named);`,
};

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
    include: ["tests/**/*.test.ts"],
    setupFiles: ["tests/setup.ts"],
    testTimeout: 60_000,
  },
});
