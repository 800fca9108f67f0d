/**
 * Build nbprof/static/: the core script, one script per view, a second one for views with a folder
 * `later`, the one for where there is no Python, the one that matches regular expressions there, those of
 * the Export menu, call stacks and how values are spread, a small style sheet, and the licences of what is bundled.
 *
 * Everything outside `src/views/` and the folders in `OTHERS` is the core, which every model carries. The
 * other scripts import from it, but contain none of it: such an import is replaced by a look-up in
 * the object that the core hands to a script when it runs it (`src/core/scripts/scripts.ts`). The core keeps
 * exactly the names that some script asks for. The second script of a view imports from its first one in
 * the same way.
 *
 * The same input gives the same bytes, so that a test can compare. Without arguments it writes into
 * the package; `--out DIR` writes elsewhere; `--watch` builds on every change.
 */
import { createHash } from "node:crypto";
import { existsSync, watch } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as esbuild from "esbuild";
import { minify } from "terser";

/** Bytes, minified. Every model carries the core; saved notebooks and pages carry what they show. */
const BUDGETS = {
  widget: 170_000,
  view: 100_000,
  offline: 72_000,
  patterns: 160_000,
  export: 24_000,
  picking: 10_000,
  stacks: 12_000,
  spreads: 8_000,
  tools: 14_000,
  page: 4_000,
};
/** The folders of scripts that belong to no view. */
const OTHERS = ["offline", "patterns", "export", "picking", "stacks", "spreads", "tools"];
/** The folders of code that each script which imports it contains: it belongs to several scripts, and the core has no room. */
const SHARED = ["flames", "fills", "trees", "baselines", "drawing"];
/** Stands in the scripts for what tells one build from another, until all of them are known. */
const UNBUILT = "nbprof-build-id0";
/** How an import from the core is written between the two steps that replace it. */
const CORE = "core:";
/** The folder of a view whose script is loaded after its first picture. */
const LATER = "later";

const here = dirname(fileURLToPath(import.meta.url));
const src = join(here, "src");
const { values } = parseArgs({
  options: { out: { type: "string" }, watch: { type: "boolean", default: false } },
});
const out = resolve(values.out ?? join(here, "..", "nbprof", "static"));

const options = {
  absWorkingDir: here,
  bundle: true,
  write: false,
  format: "esm",
  target: "es2022",
  minify: true,
  charset: "utf8",
  legalComments: "none",
  metafile: true,
  mangleProps: /^eval$/, // a method of re2js; a test looks for calls of the function
  define: { NBPROF_BUILD: JSON.stringify(UNBUILT) },
};

/** A style sheet with its imports, as text. */
const cssText = {
  name: "css-text",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles } = await esbuild.build({
        entryPoints: [path],
        absWorkingDir: here,
        bundle: true,
        minify: true,
        write: false,
      });
      return { contents: outputFiles[0].text.trim(), loader: "text" };
    });
  },
};

/** A module that the build writes. */
function virtual(name, contents) {
  return {
    name,
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: name }));
      build.onLoad({ filter: /.*/, namespace: name }, () => ({
        contents: contents(),
        resolveDir: src,
        loader: "ts",
      }));
    },
  };
}

/** Which script a source file belongs to: `views/<name>`, `views/<name>.later`, or a script of its own such as `offline`, or the core. */
function homeOf(path) {
  const [folder, name, inside] = relative(src, path).split(sep);
  if (folder === "views") return `views/${name}${inside === LATER ? `.${LATER}` : ""}`;
  return [...OTHERS, ...SHARED].includes(folder) ? folder : "core";
}

/** Leave imports from the core, and from other `lenders`, to them; refuse those from another view. */
function fromCore(home, allowed, lenders = []) {
  return {
    name: "from-core",
    setup(build) {
      build.onResolve({ filter: /^\./ }, ({ path, importer, resolveDir, kind }) => {
        if (kind !== "import-statement" || path.endsWith(".css")) return undefined;
        const target = resolve(resolveDir, path);
        const where = homeOf(target);
        if (where === "core" || lenders.includes(where))
          return { path: CORE + relative(src, target).replaceAll(sep, "/"), external: true };
        if (allowed(where)) return undefined;
        return { errors: [{ text: `${home} imports ${path} of ${where} (${importer})` }] };
      });
    },
  };
}

const IMPORT = /import\s*\{([^}]*)\}\s*from\s*"core:([^"]+)";?/g;
const EXPORT = /export\s*\{\s*([\w$]+) as default\s*\};?\s*$/;

/**
 * Make of a bundle that imports from the core a script that registers itself.
 *
 * @param needs - gains the names that it needs, and the module of the core that has each
 */
function asScript(name, code, needs) {
  const bindings = new Map();
  const aliases = [];
  const body = code.replace(IMPORT, (_, list, module) => {
    for (const entry of list.split(",")) {
      const [original, local = original] = entry.trim().split(/\s+as\s+/);
      const known = needs.get(original);
      if (known && known !== module)
        throw new Error(`Two modules of the core have a ${original}: ${known} and ${module}.`);
      needs.set(original, module);
      // Each module of a bundle has a name of its own for what it imports.
      if (bindings.has(original)) aliases.push(`${local} = ${bindings.get(original)}`);
      else bindings.set(original, local);
    }
    return "";
  });
  const found = EXPORT.exec(body);
  if (!found || body.includes(`"${CORE}`))
    throw new Error(`${name} has imports or exports of another form.`);
  const bound = [...bindings].map(([original, local]) => `${original}: ${local}`);
  const named = [`{ ${bound.join(", ")} } = core`, ...aliases].join(", ");
  const inner = `const ${named}; ${body.slice(0, found.index)} return ${found[1]};`;
  const key = JSON.stringify(`${UNBUILT}/${name}`);
  return `(globalThis.__nbprofScripts ??= new Map()).set(${key}, (core) => { ${inner} });`;
}

async function bundle(entry, plugins) {
  const { outputFiles, metafile } = await esbuild.build({
    ...options,
    entryPoints: [entry],
    plugins: [cssText, ...plugins],
  });
  return { code: outputFiles[0].text, inputs: Object.keys(metafile.inputs) };
}

/** Shorten what esbuild has bundled; terser finds one or two percent more. */
async function shorten(code, module = true) {
  const { code: shorter } = await minify(code, {
    module,
    ecma: 2022,
    compress: { passes: 3, unsafe_arrows: true, hoist_funs: true },
    format: { comments: false },
  });
  return shorter;
}

async function hostStyle() {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: here,
    entryPoints: ["src/styles/host.css"],
    minify: true,
    write: false,
  });
  return outputFiles[0].text;
}

/** The packages of which something is in a bundle. */
function packagesOf(inputs) {
  const names = inputs.map((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  return new Set(names.filter(Boolean));
}

/** The licence of every package that ended up in a script. */
async function licenses(names) {
  const texts = [];
  for (const name of [...names].sort()) {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const text = await readFile(join(folder, "LICENSE"), "utf8");
    texts.push(`${name} ${version} (${license})\n\n${text.trim()}\n`);
  }
  const head = "The scripts here contain these packages, unchanged but minified:\n\n";
  return head + texts.join("\n----\n\n");
}

/** The folders of `src/views/` that hold a file. */
async function viewsWith(file) {
  const views = await readdir(join(src, "views"));
  return views.filter((view) => existsSync(join(src, "views", view, file))).sort();
}

/** The module that lists what the views answer without Python. */
function listOf(views) {
  const imports = views.map((view) => `import ${view} from "./views/${view}/offline";`);
  return `${imports.join("\n")}\nexport const parts = { ${views.join(", ")} };`;
}

/** The script of a view with the names that its second script imports from it. */
function lending(view, lent) {
  const imports = lent.map(([name, module]) => `import { ${name} } from "./${module}";`);
  const names = lent.map(([name]) => name).join(", ");
  return `${imports.join("\n")}
import view from "./${view}/index";
export default { ...view, shared: () => ({ ${names} }) };`;
}

/** Every file of the package's static folder, as text by its path. */
async function build() {
  const answering = await viewsWith("offline.ts");
  const needs = new Map();
  const packages = new Map();
  const scripts = new Map();
  for (const view of await viewsWith("index.ts")) {
    const name = `views/${view}`;
    const own = (home, lenders) =>
      fromCore(home, (where) => where === home || SHARED.includes(where), lenders);
    let entry = `src/${name}/index.ts`;
    const plugins = [own(name)];
    if (existsSync(join(src, name, LATER))) {
      const second = `${name}.${LATER}`;
      const { code, inputs } = await bundle(`src/${name}/${LATER}/index.ts`, [own(second, [name])]);
      packages.set(second, packagesOf(inputs));
      scripts.set(second, asScript(`${view}.${LATER}`, code, needs));
      const lent = [...needs].filter(([, module]) => module.startsWith(`${name}/`));
      for (const [original] of lent) needs.delete(original);
      entry = `nbprof:${view}`;
      plugins.push(virtual(entry, () => lending(name, lent)));
    }
    const { code, inputs } = await bundle(entry, plugins);
    packages.set(name, packagesOf(inputs));
    scripts.set(name, asScript(view, code, needs));
  }
  const offline = await bundle("src/offline/main.ts", [
    fromCore("offline", (where) => where !== "core"),
    virtual("nbprof:offline-parts", () => listOf(answering)),
  ]);
  scripts.set("offline", asScript("offline", offline.code, needs));
  const patterns = await bundle("src/patterns/main.ts", [fromCore("patterns", () => false)]);
  packages.set("patterns", packagesOf(patterns.inputs));
  scripts.set("patterns", asScript("patterns", patterns.code, needs));
  for (const name of ["export", "picking", "stacks", "spreads", "tools"]) {
    const own = fromCore(name, (where) => where === name || SHARED.includes(where));
    const { code, inputs } = await bundle(`src/${name}/main.ts`, [own]);
    packages.set(name, packagesOf(inputs));
    scripts.set(name, asScript(name, code, needs));
  }
  const exported = [...needs].sort().map(([name, module]) => ({ name, module }));
  const shared = `${exported.map(({ name, module }) => `import { ${name} } from "./${module}";`).join("\n")}
export const shared = () => ({ ${exported.map(({ name }) => name).join(", ")} });`;
  const core = await bundle("src/index.ts", [virtual("nbprof:shared", () => shared)]);
  packages.set("core", packagesOf(core.inputs));
  for (const [name, found] of packages)
    for (const one of found)
      if (name !== "core" && packages.get("core").has(one))
        throw new Error(`${name} brings ${one} again; let it import it from the core.`);
  const files = new Map([["widget.js", await shorten(core.code)]]);
  for (const [name, code] of scripts) files.set(`${name}.js`, await shorten(code, false));
  files.set("page.js", await shorten((await bundle("src/page/main.ts", [])).code));
  const hash = createHash("sha256");
  for (const [name, text] of files) hash.update(name).update(text);
  const id = hash.digest("hex").slice(0, UNBUILT.length);
  for (const [name, text] of files) files.set(name, text.replaceAll(UNBUILT, id));
  files.set("widget.css", await hostStyle());
  const all = new Set([...packages.values()].flatMap((found) => [...found]));
  files.set("THIRD_PARTY_LICENSES.txt", await licenses(all));
  return files;
}

/** Write the files, without those of views that are gone; tell whether all are within their budget. */
async function write(files) {
  await rm(join(out, "views"), { recursive: true, force: true });
  await mkdir(join(out, "views"), { recursive: true });
  let within = true;
  for (const [name, text] of files) {
    await writeFile(join(out, name), text);
    const budget = BUDGETS[name.startsWith("views/") ? "view" : name.replace(/\.js$/, "")];
    if (!budget) continue;
    const length = Buffer.byteLength(text);
    const [is, may] = [length, budget].map((bytes) => bytes.toLocaleString("en-US"));
    console.log(`${name}: ${is} of ${may} bytes`);
    if (length <= budget) continue;
    console.error(`${name} is over its budget.`);
    within = false;
  }
  return within;
}

if (!(await write(await build()))) process.exitCode = 1;
if (values.watch) {
  let waiting;
  watch(src, { recursive: true }, () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => build().then(write).catch(console.error), 200);
  });
}
