import { defineConfig } from "vitest/config";

/** As `build.mjs` puts in; scripts of their own are there from the start, see `tests/views.ts`. */
const SHARED = "nbprof:shared";

export default defineConfig({
  define: { NBPROF_BUILD: JSON.stringify("test") },
  plugins: [
    {
      name: "nothing-shared",
      resolveId: (id) => (id === SHARED ? id : null),
      load: (id) => (id === SHARED ? "export const shared = () => ({})" : null),
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
