/** `BaselineField`: the select of the trace that the one on screen is compared with. */
import type { Context } from "../core/context";
import { fill } from "../core/dom";
import type { Baseline, Catalog, RunEntry } from "../core/protocol/protocol";
import { sameValue } from "../core/state/equality";
import { signal, untracked } from "../core/state/signals";

export class BaselineField {
  readonly el: HTMLLabelElement;
  #select: HTMLSelectElement;
  #catalog = signal<Catalog | null>(null);
  #asked = -1;
  #shown: unknown;

  constructor(
    private readonly ctx: Context,
    label: string,
  ) {
    const { h, session } = ctx;
    this.#select = h("select");
    h.on(this.#select, {
      change: () => session.set({ baseline: JSON.parse(this.#select.value) as Baseline }),
    });
    this.el = h(
      "label",
      {
        class: "nbp-field nbp-baseline",
        "data-kind": "select",
        "data-needs": "profile",
        hidden: true,
      },
      h("span", {}, label),
      this.#select,
    );
  }

  /** The traces that there are; null before they are known. */
  get catalog(): Catalog | null {
    return this.#catalog.value;
  }

  /** Whether there is no other trace. */
  hasNone = true;

  update(): void {
    const { h, session } = this.ctx;
    if (this.#asked !== session.refreshed) {
      this.#asked = session.refreshed;
      untracked(() => session.catalog()).then(
        (catalog) => {
          this.#catalog.value = catalog;
        },
        () => {}, // the widget says so itself
      );
    }
    const { run, worker, span } = session.state;
    const chosen = named(session.get("baseline") ?? {});
    const catalog = this.#catalog.value;
    const own = JSON.stringify({ run, worker, span });
    const options = [
      ...tracesOf(catalog?.runs, undefined),
      ...tracesOf(catalog?.baselines, "baseline"),
    ].filter(([value]) => value !== own);
    // A page knows no other traces than the one it compares with.
    if (chosen !== "{}" && !options.some(([value]) => value === chosen))
      options.push([chosen, nameOf(JSON.parse(chosen))]);
    this.hasNone = options.length === 0;
    this.el.hidden = this.hasNone;
    this.el.toggleAttribute("data-on", chosen !== "{}");
    if (!sameValue(this.#shown, options)) {
      this.#shown = options;
      const all = [["{}", "None"] as const, ...options];
      fill(this.#select, ...all.map(([value, label]) => h("option", { value }, label)));
    }
    this.#select.value = chosen;
    this.el.dataset.tip = chosen === "{}" ? "" : nameOf(JSON.parse(chosen));
  }
}

/** The traces of some runs as values and labels. */
function tracesOf(runs: readonly RunEntry[] = [], source: string | undefined) {
  return runs.flatMap(({ run, workers }) =>
    workers.flatMap(({ worker, spans }) =>
      spans.map(({ span }): [value: string, label: string] => {
        const one = { run, worker, span, ...(source && { source }) };
        return [named(one), nameOf(one, spans.length > 1)];
      }),
    ),
  );
}

/** A baseline as text, its fields in one order. */
function named({ run, worker, span, source }: Baseline): string {
  return JSON.stringify({ run, worker, span, source: source || undefined });
}

function nameOf({ run, worker, span = 1 }: Baseline, withSpan = span > 1): string {
  return [run || "(top folder)", worker, withSpan && `span ${span}`].filter(Boolean).join(" · ");
}
