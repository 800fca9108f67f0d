import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [
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
