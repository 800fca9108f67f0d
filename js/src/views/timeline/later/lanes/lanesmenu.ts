/** The lanes menu of the toolbar: shows, hides, pins and groups lanes. */
import type { Context } from "../../../../core/context";
import { fill, setAttributes } from "../../../../core/dom";
import { Segments } from "../../../../parts/segments";
import { button } from "../../../../parts/states";
import { plural } from "../../../../values/format";
import type { FlowKind, Layout } from "../../data/messages";
import { isOff, needsPython, setOff } from "../../panes/disabled";
import type { Timeline } from "../../state/types";

type Grouping = "thread" | "module";

/** The kinds of arrows, in the order of the switches. */
const FLOWS: [FlowKind, string][] = [
  ["enqueue", "From launches to device work"],
  ["fwdbwd", "From forward to backward operators"],
  ["queue", "Through the task queue"],
];

interface Row {
  key: string;
  shown: HTMLInputElement;
  /** Undefined for groups, which cannot be pinned. */
  pinned: HTMLInputElement | undefined;
}

export class LanesMenu {
  readonly el: HTMLElement;
  #grouping: Segments<Grouping>;
  #collapse: HTMLButtonElement;
  #expand: HTMLButtonElement;
  #showAll: HTMLButtonElement;
  #reset: HTMLButtonElement;
  #list: HTMLElement;
  #flows: HTMLElement;
  #rows: Row[] = [];
  #drawn: Layout | null = null;
  /** Why grouping by module is not possible; undefined where it is. */
  #noModules: string | undefined;

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
  ) {
    const { h } = ctx;
    this.#grouping = new Segments(h, "Group by", (value) => timeline.setGroupBy(value));
    this.#collapse = this.#button("Collapse all", () => timeline.lanes.collapseAll(true));
    this.#expand = this.#button("Expand all", () => timeline.lanes.collapseAll(false));
    this.#showAll = this.#button("Show all", () => timeline.lanes.showAll());
    this.#reset = this.#button("Reset lanes", () => timeline.resetLanes());
    this.#list = h("div", { class: "nbp-tl-lanelist" });
    this.#flows = h("div", { role: "group", "aria-label": "Arrows", class: "nbp-tl-flows" });
    this.el = h(
      "div",
      { class: "nbp-tl-lanesmenu", "data-offline": true },
      h(
        "div",
        { class: "nbp-tl-lanesbar" },
        h(
          "span",
          { class: "nbp-pair" },
          h("span", { class: "nbp-label" }, "Group by"),
          this.#grouping.el,
        ),
        h("span", { class: "nbp-pair" }, this.#collapse, this.#expand, this.#showAll, this.#reset),
      ),
      this.#flows,
      this.#list,
    );
  }

  /** Open the menu under its button, or close it. */
  toggle(anchor: HTMLElement): void {
    this.#draw();
    this.#update();
    this.ctx.popup.toggleMenu(anchor, "Lanes", this.el);
    void this.#askForModules();
  }

  update(): void {
    if (!this.el.isConnected) return;
    if (this.#drawn !== this.timeline.state.layout) this.#draw();
    this.#update();
  }

  /** The user's arrangement of lanes, as stored in the trait. */
  get #arranged() {
    const { session } = this.ctx;
    return { lanes: session.get("lanes"), height: session.get("timeline_height") };
  }

  async #askForModules(): Promise<void> {
    try {
      const { has, hints } = await this.ctx.session.trace();
      const none = hints.modules ?? "No modules were recorded.";
      this.#noModules = has.modules === false ? none : undefined;
      this.update();
    } catch {
      // The explorer reports the error.
    }
  }

  #update(): void {
    const { collapsed, hidden, pinned, layout } = this.timeline.state;
    const offline = this.ctx.session.router.connected
      ? undefined
      : needsPython(this.ctx.session, "Another grouping");
    const off = offline ?? this.#noModules;
    this.#grouping.set(
      [
        { value: "thread", label: "Thread", off: offline },
        { value: "module", label: "Module", off },
      ],
      layout?.group_by === "module" ? "module" : "thread",
    );
    const lanes = layout?.lanes ?? [];
    const any = [...lanes, ...(layout?.groups ?? [])].some(({ key }) => collapsed.has(key));
    const none = any ? undefined : "All lanes are expanded.";
    const all = lanes.every(({ key }) => collapsed.has(key))
      ? "All lanes are collapsed."
      : undefined;
    setOff(this.#expand, none);
    setOff(this.#collapse, all);
    setOff(this.#showAll, hidden.size ? undefined : "No lane is hidden.");
    const { lanes: arranged = {}, height = null } = this.#arranged;
    const usual = !Object.keys(arranged).length && height === null;
    setOff(this.#reset, usual ? "All lanes are as at first." : undefined);
    for (const { key, shown, pinned: pin } of this.#rows) {
      shown.checked = !hidden.has(key);
      if (pin) pin.checked = pinned.includes(key);
    }
  }

  #draw(): void {
    const { h } = this.ctx;
    const { layout } = this.timeline.state;
    this.#drawn = layout;
    this.#rows = [];
    if (!layout) {
      fill(this.#list);
      return;
    }
    const flows = FLOWS.filter(([kind]) => layout.flows?.includes(kind));
    const title = flows.length ? h("div", { class: "nbp-tl-lanegroup" }, "Arrows") : null;
    fill(this.#flows, title, ...flows.map(([kind, words]) => this.#flow(kind, words)));
    const groups = layout.groups.map((group) => {
      const lanes = layout.lanes.filter((lane) => lane.group === group.key);
      const tracks = layout.tracks.filter((track) => track.group === group.key);
      const rows = [
        ...lanes.map((lane) =>
          this.#row(lane.key, lane.label, [lane.detail, plural(lane.slices, "slice")]),
        ),
        ...tracks.map((track) => this.#row(track.key, track.label, [track.detail])),
      ];
      if (!rows.length) return null;
      const title = h("label", { class: "nbp-tl-lanegroup" }, this.#shown(group), group.label);
      return h("div", { role: "group", "aria-label": group.label }, title, rows);
    });
    fill(this.#list, ...groups);
  }

  /** The checkbox that shows all arrows of a kind. */
  #flow(kind: FlowKind, words: string): HTMLElement {
    const { ctx, timeline } = this;
    const box = ctx.h("input", { type: "checkbox", disabled: !ctx.session.router.connected });
    box.checked = timeline.state.flows?.has(kind) ?? false;
    ctx.h.on(box, { change: () => timeline.flows.toggle(kind) });
    return ctx.h(
      "label",
      { "data-tip": "Those nearest to the selected slice, else to the pointer" },
      box,
      words,
    );
  }

  #row(key: string, label: string, details: string[]): HTMLElement {
    const { ctx, timeline } = this;
    const { h } = ctx;
    const pinned = h("input", { type: "checkbox", "aria-label": `Pin ${label} to the top` });
    const shown = this.#shown({ key, label }, pinned);
    h.on(pinned, { change: () => timeline.lanes.togglePinned(key) });
    const words = details.filter(Boolean).join(" · ");
    return h(
      "div",
      { class: "nbp-tl-lanerow" },
      h("label", {}, shown, h("span", {}, label, " ", h("span", { class: "nbp-label" }, words))),
      h("label", { "data-tip": "Keep this lane at the top" }, pinned, "Pin"),
    );
  }

  /** The checkbox that shows or hides a lane, a curve or a whole group. */
  #shown({ key, label }: { key: string; label: string }, pinned?: HTMLInputElement): HTMLElement {
    const { ctx, timeline } = this;
    const shown = ctx.h("input", { type: "checkbox", "aria-label": `Show ${label}` });
    ctx.h.on(shown, {
      change: () => {
        timeline.lanes.toggleHidden(key);
        ctx.announce(`${label} ${shown.checked ? "shown" : "hidden"}`);
      },
    });
    this.#rows.push({ key, shown, pinned });
    return shown;
  }

  #button(label: string, act: () => void): HTMLButtonElement {
    const made = button(this.ctx.h, label, () => isOff(made) || act());
    setAttributes(made, { "data-small": true });
    return made;
  }
}
