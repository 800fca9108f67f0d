/** The pane below the canvas: the selected slice or range, links to others, and notes. */
import type { Context } from "../../../../core/context";
import { fill, setAttributes } from "../../../../core/dom";
import { link } from "../../../../parts/states";
import { formatNumber, plural } from "../../../../values/format";
import type { SliceRef } from "../../data/messages";
import { isOff, needsPython, setOff } from "../../panes/disabled";
import type { Area, Hit, Timeline } from "../../state/types";
import { NoteList } from "../notes/notelist";
import { RangeTable } from "../tables/rangetable";
import { Facts } from "./facts";
import { Follow } from "./links";

type Tab = "slice" | "range" | "notes";

const TABS: readonly Tab[] = ["slice", "range", "notes"];

/** Filters hold microseconds as doubles; a smaller difference is rounding. */
const SAME_US = 1e-3;

export class SlicePane {
  readonly el: HTMLElement;
  #facts: Facts;
  #range: RangeTable;
  #follow: Follow;
  #notes: NoteList;
  #tabs: Record<Tab, HTMLButtonElement>;
  #panels: Record<Tab, HTMLElement>;
  #filter: HTMLButtonElement;
  #tab: Tab = "slice";
  #selected: SliceRef | Hit | null = null;
  #area: Area | null = null;
  #noting: unknown = null;

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
  ) {
    const { h, id } = ctx;
    this.#facts = new Facts(ctx, timeline);
    this.#range = new RangeTable(ctx, timeline, "area");
    this.#range.onCount = () => this.#nameTabs();
    this.#follow = new Follow(ctx, timeline);
    this.#notes = new NoteList(ctx, timeline);
    const tab = (name: Tab) =>
      h.on(h("button", { type: "button", role: "tab", id: `${id}-tl-tab-${name}` }), {
        click: () => this.#open(name),
      });
    const panel = (name: Tab, content: HTMLElement) =>
      h(
        "div",
        {
          role: "tabpanel",
          id: `${id}-tl-panel-${name}`,
          "aria-labelledby": `${id}-tl-tab-${name}`,
        },
        content,
      );
    this.#tabs = { slice: tab("slice"), range: tab("range"), notes: tab("notes") };
    this.#panels = {
      slice: panel("slice", this.#facts.el),
      range: panel("range", this.#range.el),
      notes: panel("notes", this.#notes.el),
    };
    this.#filter = link(h, "", () => isOff(this.#filter) || timeline.filterToArea());
    const tablist = h(
      "div",
      { class: "nbp-tl-tabs", role: "tablist", "aria-label": "Selection" },
      this.#tabs.slice,
      this.#tabs.range,
      this.#tabs.notes,
    );
    h.on(tablist, { keydown: (event) => this.#key(event) });
    this.el = h(
      "div",
      { class: "nbp-tl-details" },
      h(
        "div",
        { class: "nbp-tl-left" },
        h(
          "div",
          { class: "nbp-tl-left-head", "data-offline": true },
          tablist,
          h("span", { class: "nbp-gap" }),
          this.#filter,
        ),
        this.#panels.slice,
        this.#panels.range,
        this.#panels.notes,
      ),
      this.#follow.el,
    );
    this.update();
  }

  update(): void {
    const { selected: slice, block, area, noting = null } = this.timeline.state;
    const selected = slice ?? block ?? null;
    if (selected !== this.#selected && selected) this.#tab = "slice";
    if (area !== this.#area && area) this.#tab = "range";
    if (!area && this.#tab === "range") this.#tab = "slice";
    if (noting !== this.#noting && noting) this.#tab = "notes";
    this.#noting = noting;
    this.#selected = selected;
    this.#area = area;
    this.#showTab();
    this.#facts.update();
    this.#follow.update();
    this.#notes.update();
    if (area) this.#range.show(area);
    this.#nameTabs();
    this.#sayFilter();
  }

  #open(tab: Tab): void {
    if (isOff(this.#tabs[tab])) return;
    this.#tab = tab;
    this.#showTab();
    if (tab === "range" && this.#area) this.#range.show(this.#area);
  }

  #showTab(): void {
    for (const name of TABS) {
      const on = name === this.#tab;
      setAttributes(this.#tabs[name], {
        "aria-selected": String(on),
        "aria-controls": `${this.ctx.id}-tl-panel-${name}`,
        tabindex: on ? 0 : -1,
      });
      this.#panels[name].hidden = !on;
    }
  }

  #nameTabs(): void {
    const { slices } = this.#range;
    const count = this.#area && slices !== null ? ` (${plural(slices, "slice")})` : "";
    this.#tabs.slice.textContent = "Slice";
    this.#tabs.range.textContent = `Range${count}`;
    const notes = this.timeline.notes.marks.length;
    this.#tabs.notes.textContent = notes ? `Notes (${formatNumber(notes)})` : "Notes";
    setOff(
      this.#tabs.range,
      this.#area ? undefined : "Select a range first: Shift+drag over lanes.",
    );
  }

  /** Set the label of the link that sets or removes the filter. */
  #sayFilter(): void {
    const { h, session } = this.ctx;
    this.#filter.hidden = !this.#area && !session.state.filter.time_us;
    const words = this.#isFiltered() ? "Remove the time filter" : "Filter everything to the range";
    if (!this.#filter.textContent?.startsWith(words))
      fill(this.#filter, words, " ", h("kbd", { "aria-hidden": "true" }, "Enter"));
    const off = session.router.connected ? undefined : needsPython(session, "Filtering");
    setOff(this.#filter, off);
  }

  #isFiltered(): boolean {
    const time = this.ctx.session.state.filter.time_us;
    if (!time || !this.#area) return time !== undefined;
    const { start_ns, end_ns } = this.#area;
    return (
      Math.abs(time[0] - start_ns / 1e3) < SAME_US && Math.abs(time[1] - end_ns / 1e3) < SAME_US
    );
  }

  #key(event: KeyboardEvent): void {
    if (!["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
    const open = TABS.filter((name) => !isOff(this.#tabs[name]));
    const at = open.indexOf(this.#tab);
    const wanted = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key] ?? 0;
    this.#open(open.at(wanted % open.length) ?? "slice");
    this.#tabs[this.#tab].focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
