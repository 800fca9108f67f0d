/**
 * The scripts that are run once they are needed: one per view, and the one that answers without
 * Python. `js/build.mjs` makes each of them a function of what it uses of the core.
 *
 * A page may hold several models, each with a core of its own and perhaps of another version of
 * nbprof. A script is brought once per page and build, and run once for every core.
 */
import { shared } from "nbprof:shared";
import { runScript } from "./runscript";

type Factory = (core: Record<string, unknown>) => unknown;
type Page = typeof globalThis & { __nbprofScripts?: Map<string, Factory> };

const page = globalThis as Page;
const made = new Map<string, unknown>();

/** What a script brings, where it has been brought to this page; undefined elsewhere. */
export function broughtBy<T>(name: string): T | undefined {
  const factory = page.__nbprofScripts?.get(`${NBPROF_BUILD}/${name}`);
  if (!made.has(name) && factory) made.set(name, factory(shared()));
  return made.get(name) as T | undefined;
}

/** Brings scripts for one model, each once. */
export class Scripts {
  readonly #coming = new Map<string, Promise<unknown>>();

  /** @param bring - gives the text of a script */
  constructor(private readonly bring: (name: string) => Promise<Uint8Array>) {}

  /**
   * Bring a script, unless the page has it already.
   *
   * @throws Error - it cannot be had, or the page forbids it
   */
  load<T>(name: string): Promise<T> {
    const there = broughtBy<T>(name);
    if (there !== undefined) return Promise.resolve(there);
    let coming = this.#coming.get(name);
    if (!coming) {
      coming = this.#run(name).finally(() => this.#coming.delete(name));
      this.#coming.set(name, coming);
    }
    return coming as Promise<T>;
  }

  async #run(name: string): Promise<unknown> {
    await runScript(await this.bring(name));
    const brought = broughtBy(name);
    if (brought === undefined)
      throw new Error("The script is of another version of nbprof. Restart the kernel.");
    return brought;
  }
}
