/**
 * Build nbprof/static/: the script, the one for where there is no Python, a small style sheet, and
 * the licences of what is bundled.
 *
 * The same input gives the same bytes, so that a test can compare. Without arguments it writes into
 * the package; `--out DIR` writes elsewhere; `--watch` builds on every change.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as esbuild from "esbuild";
import { minify } from "terser";

/** Every model carries the one; every saved notebook and page the other as well. */
const BUDGETS = { "widget.js": 280_000, "offline.js": 56_000, "page.js": 4_000 };
const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({
  options: { out: { type: "string" }, watch: { type: "boolean", default: false } },
});
const out = resolve(values.out ?? join(here, "..", "nbprof", "static"));

/** A style sheet with its imports, as text. */
const cssText = {
  name: "css-text",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles, metafile } = await esbuild.build({
        entryPoints: [path],
        absWorkingDir: here,
        bundle: true,
        minify: true,
        write: false,
        metafile: true,
      });
      const watchFiles = Object.keys(metafile.inputs).map((input) => join(here, input));
      return { contents: outputFiles[0].text.trim(), loader: "text", watchFiles };
    });
  },
};

const options = {
  absWorkingDir: here,
  entryPoints: {
    widget: "src/index.ts",
    offline: "src/offline/main.ts",
    page: "src/page/main.ts",
  },
  outdir: out,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "utf8",
  legalComments: "none",
  plugins: [cssText],
  metafile: true,
};

/** Shorten the scripts that esbuild has bundled; terser finds one or two percent more. */
async function shorten() {
  for (const name of Object.keys(options.entryPoints)) {
    const path = join(out, `${name}.js`);
    const { code } = await minify(await readFile(path, "utf8"), {
      module: true,
      ecma: 2022,
      compress: { passes: 3 },
      format: { comments: false },
    });
    await writeFile(path, code);
  }
}

async function hostStyle() {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: here,
    entryPoints: ["src/styles/host.css"],
    minify: true,
    write: false,
  });
  await writeFile(join(out, "widget.css"), outputFiles[0].text);
}

/** The licence of every package that ended up in the script. */
async function licenses(inputs) {
  const names = new Set();
  for (const input of Object.keys(inputs)) {
    const match = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) names.add(match[1]);
  }
  const texts = [];
  for (const name of [...names].sort()) {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const text = await readFile(join(folder, "LICENSE"), "utf8");
    texts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`);
  }
  const head = "widget.js and offline.js contain these packages, unchanged but minified:\n\n";
  await writeFile(join(out, "THIRD_PARTY_LICENSES.txt"), head + texts.join("\n----\n\n"));
}

await mkdir(out, { recursive: true });
if (values.watch) {
  const context = await esbuild.context({ ...options, logLevel: "info" });
  await context.watch();
} else {
  const { metafile } = await esbuild.build(options);
  await shorten();
  await hostStyle();
  await licenses(metafile.inputs);
  for (const [name, budget] of Object.entries(BUDGETS)) {
    const { length } = await readFile(join(out, name));
    const [is, may] = [length, budget].map((bytes) => bytes.toLocaleString("en-US"));
    console.log(`${name}: ${is} of ${may} bytes`);
    if (length > budget) {
      console.error(`${name} is over its budget.`);
      process.exitCode = 1;
    }
  }
}
