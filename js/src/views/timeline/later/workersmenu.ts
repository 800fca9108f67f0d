/** The menu that chooses other workers to show in the timeline, and how clocks are aligned. */
import type { Context } from "../../../core/context";
import { fill } from "../../../core/dom";
import { Segments } from "../../../parts/segments";
import { button } from "../../../parts/states";
import { plural } from "../../../values/format";
import { isOff, needsPython, setOff } from "../panes/disabled";
import { BASELINE } from "../state/scope";
import type { Timeline } from "../state/types";

type Clock = "auto" | "collectives" | "time" | "step";

const CLOCKS: [Clock, string][] = [
  ["auto", "Auto"],
  ["collectives", "Collectives"],
  ["time", "Time of day"],
  ["step", "Same step"],
];

export class WorkersMenu {
  readonly el: HTMLElement;
  #clocks: Segments<Clock>;
  #none: HTMLButtonElement;
  #all: HTMLButtonElement;
  #list: HTMLElement;
  #said: HTMLElement;
  #names: readonly string[] = [];
  #boxes = new Map<string, HTMLInputElement>();

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
  ) {
    const { h, session } = ctx;
    this.#clocks = new Segments(h, "Align clocks by", (clock) =>
      session.set({ timeline_clock: clock }),
    );
    this.#none = this.#button("Only this one", () => this.#choose([]));
    this.#all = this.#button("All", () => this.#choose(this.#names));
    this.#list = h("div", { class: "nbp-tl-lanelist" });
    this.#said = h("div", { class: "nbp-muted nbp-tl-workerwords" });
    this.el = h(
      "div",
      { class: "nbp-tl-lanesmenu", "data-offline": true },
      h(
        "div",
        { class: "nbp-tl-lanesbar" },
        h("span", { class: "nbp-label" }, "Align clocks by"),
        this.#clocks.el,
        h("span", { class: "nbp-pair" }, this.#none, this.#all),
      ),
      this.#list,
      this.#said,
    );
  }

  /** Open the menu under its button, or close it. */
  toggle(anchor: HTMLElement): void {
    void this.#ask();
    this.update();
    this.ctx.popup.toggleMenu(anchor, "Workers", this.el);
  }

  update(): void {
    const { session } = this.ctx;
    const chosen = session.get("timeline_workers") ?? [];
    const off = session.router.connected
      ? undefined
      : needsPython(session, "Another choice of workers");
    const others = this.#others();
    this.#clocks.set(
      CLOCKS.map(([value, label]) => ({ value, label, off })),
      (session.get("timeline_clock") ?? "auto") as Clock,
    );
    setOff(this.#none, off ?? (chosen.length ? undefined : "No other worker is shown."));
    setOff(this.#all, off ?? (others.length ? undefined : "There is no other worker."));
    for (const [name, box] of this.#boxes) {
      box.checked = name === session.get("worker") || chosen.includes(name);
      box.disabled = Boolean(off) || name === session.get("worker");
    }
    this.#say();
  }

  /** Request and list the workers of the run that have the span on screen. */
  async #ask(): Promise<void> {
    const { session } = this.ctx;
    const { run, span } = session.state;
    const catalog = await session.catalog().catch(() => null);
    const found = catalog?.runs.find((one) => one.run === run)?.workers ?? [];
    const has = found.filter(({ spans }) => spans.some((one) => one.span === span));
    this.#names = has.map(({ worker }) => worker);
    this.#draw();
    this.update();
  }

  #draw(): void {
    const { h } = this.ctx;
    this.#boxes.clear();
    const rows = this.#names.map((name) => {
      const box = h.on(h("input", { type: "checkbox" }), { change: () => this.#toggle(name) });
      this.#boxes.set(name, box);
      return h("label", {}, box, name);
    });
    this.#all.textContent = `All ${plural(this.#names.length, "worker")}`;
    fill(this.#list, ...rows);
  }

  /** Say why chosen workers are not shown. */
  #say(): void {
    const every = Object.entries(this.timeline.state.layout?.failed ?? {});
    const failed = every.filter(([worker]) => worker !== BASELINE);
    const words = failed.map(([worker, why]) => `${worker} cannot be shown: ${why}`).join(" ");
    if (this.#said.textContent !== words) this.#said.textContent = words;
  }

  #others(): string[] {
    return this.#names.filter((name) => name !== this.ctx.session.get("worker"));
  }

  #toggle(name: string): void {
    const before = this.ctx.session.get("timeline_workers") ?? [];
    const wanted = before.includes(name)
      ? before.filter((other) => other !== name)
      : [...before, name];
    this.#choose(wanted);
  }

  /** Show workers, in the order of the run. */
  #choose(wanted: readonly string[]): void {
    const timeline_workers = this.#others().filter((name) => wanted.includes(name));
    this.ctx.session.set({ timeline_workers });
    this.ctx.announce(`${plural(timeline_workers.length + 1, "worker")} shown`);
  }

  #button(label: string, act: () => void): HTMLButtonElement {
    const made = button(this.ctx.h, label, () => isOff(made) || act());
    made.dataset.small = "";
    return made;
  }
}
