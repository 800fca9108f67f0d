/**
 * `Scripts`: loads scripts on demand: one per view and a second one of some views (`<view>.later`),
 * and those named `offline`, `patterns`, `picking`, `stacks`, `spreads`, `export` and `tools`.
 *
 * `js/build.mjs` makes each script a function of the core's modules that it imports. A page may hold
 * several models, each with its own core and perhaps another version of nbprof. A script is loaded
 * once per page and build, and run once for each core.
 */
import { shared } from "nbprof:shared";
import { runScript } from "./runscript";

type Factory = (core: Record<string, unknown>) => unknown;
type Page = typeof globalThis & { __nbprofScripts?: Map<string, Factory> };

const page = globalThis as Page;
const made = new Map<string, unknown>();

/** Imports that a view's script passes to its second one, besides its own exports. */
type Lender = { shared?: () => Record<string, unknown> };

/** The exports of a loaded script; undefined before it is loaded. */
export function loadedExports<T>(name: string): T | undefined {
  const factory = page.__nbprofScripts?.get(`${NBPROF_BUILD}/${name}`);
  if (!made.has(name) && factory) {
    const [view = name] = name.split(".");
    const lent = view === name ? {} : loadedExports<Lender>(view)?.shared?.();
    made.set(name, factory({ ...shared(), ...lent }));
  }
  return made.get(name) as T | undefined;
}

/** Loads the scripts of one model, each once. */
export class Scripts {
  readonly #coming = new Map<string, Promise<unknown>>();

  /**
   * @param readText - returns the text of a script
   * @param run - runs it in a way that the page allows
   */
  constructor(
    private readonly readText: (name: string) => Promise<Uint8Array>,
    private readonly run: (code: Uint8Array) => Promise<void> = runScript,
  ) {}

  /**
   * Load a script, unless the page has it already.
   *
   * @throws Error - the script is not available, or the page forbids it
   */
  load<T>(name: string): Promise<T> {
    const there = loadedExports<T>(name);
    if (there !== undefined) return Promise.resolve(there);
    let coming = this.#coming.get(name);
    if (!coming) {
      coming = this.#run(name).finally(() => this.#coming.delete(name));
      this.#coming.set(name, coming);
    }
    return coming as Promise<T>;
  }

  async #run(name: string): Promise<unknown> {
    await this.run(await this.readText(name));
    const loaded = loadedExports(name);
    if (loaded === undefined)
      throw new Error("The script belongs to another version of nbprof. Restart the kernel.");
    return loaded;
  }
}
