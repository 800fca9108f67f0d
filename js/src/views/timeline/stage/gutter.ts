/** The names of groups, lanes and tracks beside the canvas; only visible ones are in the document. */
import type { Context } from "../../../core/context";
import { fill, setAttributes } from "../../../core/dom";
import { formatNumber, plural } from "../../../values/format";
import type { Lane, Track } from "../data/messages";
import { bandBottom, isDevice, pinnedBottom } from "../state/lanes/placement";
import type { Placed, PlacedGroup, PlacedLane, Timeline } from "../state/types";

/** Height from which a second line fits, CSS px. */
const TWO_LINES = 34;

export class Gutter {
  /** Lanes and tracks. */
  readonly el: HTMLElement;
  /** The bands of groups, which span gutter and canvas. */
  readonly bands: HTMLElement;
  #shown = new Map<string, HTMLElement>();
  /** The line below the pinned lanes. */
  #edge: HTMLElement;
  /** The head that Tab reaches; arrow keys lead to the others. */
  #stop: HTMLElement | undefined;

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
  ) {
    const { h } = ctx;
    this.#edge = h("div", { class: "nbp-tl-pinedge", hidden: true });
    this.el = h("div", { class: "nbp-tl-gutter", "data-offline": true });
    this.bands = h("div", { class: "nbp-tl-bands", "data-offline": true }, this.#edge);
    const focusin = (event: FocusEvent) => this.#stopAt(event.target as HTMLElement);
    for (const part of [this.el, this.bands]) h.on(part, { focusin });
  }

  update(placed: readonly Placed[]): void {
    const before = this.#shown;
    const covered = bandBottom(placed);
    const edge = pinnedBottom(placed);
    this.#edge.hidden = edge <= 0;
    this.#edge.style.top = `${edge - 1}px`;
    this.#shown = new Map();
    for (const item of placed) {
      const key = `${item.type} ${keyOf(item)}`;
      const element = before.get(key) ?? this.#make(item);
      before.delete(key);
      this.#shown.set(key, element);
      const parent = item.type === "group" ? this.bands : this.el;
      if (element.parentElement !== parent) parent.append(element);
      // The name of a lane that is partly scrolled out stays visible below the band.
      const top = item.type === "group" || item.pinned ? item.y : Math.max(covered, item.y);
      const under = item.pinned ? 0 : Math.max(0, edge - top);
      element.style.clipPath = under ? `inset(${under}px 0 0)` : "";
      element.style.top = `${top}px`;
      element.style.height = `${Math.max(0, item.y + item.height - top)}px`;
      this.#bring(element, item);
    }
    for (const element of before.values()) element.remove();
    if (!this.#stop?.isConnected) this.#stopAt([...this.#shown.values()][0]);
  }

  #stopAt(element: HTMLElement | undefined): void {
    if (this.#stop) this.#stop.tabIndex = -1;
    if (element) element.tabIndex = 0;
    this.#stop = element;
  }

  #make(item: Placed): HTMLElement {
    const { h } = this.ctx;
    const key = keyOf(item);
    const folds = item.type === "group" || (item.type === "lane" && item.lane.depths > 1);
    const look = { class: `nbp-tl-${item.type}`, type: "button", tabindex: -1, "data-key": key };
    const head = h("button", look);
    return folds ? h.on(head, { click: () => this.timeline.lanes.toggleCollapsed(key) }) : head;
  }

  /** Update an element; text is written only if it has changed. */
  #bring(element: HTMLElement, item: Placed): void {
    if (item.type === "group") this.#group(element, item);
    else if (item.type === "track") this.#track(element, item.track);
    else this.#lane(element, item);
  }

  #group(element: HTMLElement, item: PlacedGroup): void {
    const { group, collapsed } = item;
    setAttributes(element, { "aria-expanded": String(!collapsed), "data-device": isDevice(item) });
    const sign = collapsed ? "▸" : "▾";
    this.#words(element, `${sign} ${group.label}`, group.detail, false, group.detail);
  }

  #lane(element: HTMLElement, { lane, height, collapsed }: PlacedLane): void {
    if (lane.depths > 1) setAttributes(element, { "aria-expanded": String(!collapsed) });
    const narrow = this.ctx.width() === "narrow";
    const noun = narrow ? lane.folded?.split(" ").at(-1) : lane.folded;
    const rows = noun && plural(lane.depths, noun);
    const opens = rows && !narrow && collapsed && lane.depths > 1;
    const name = opens ? `${rows}, open` : rows || lane.label;
    const label = lane.depths > 1 ? `${collapsed ? "▸" : "▾"} ${name}` : name;
    const moved = lane.moved ? `${formatNumber(lane.moved)} in sub-lanes` : "";
    const own = rows ? lane.label : lane.detail;
    const detail = [this.#home(lane), own, moved].filter(Boolean).join(" · ");
    this.#words(element, label, detail, height >= TWO_LINES, laneTip(lane));
  }

  #track(element: HTMLElement, track: Track): void {
    const detail = [this.#home(track), track.detail].filter(Boolean).join(" · ");
    this.#words(element, track.label, detail, true, trackTip(track));
  }

  /** The group of a pinned lane, which is shown away from it. */
  #home({ key, group }: Lane | Track): string {
    const { layout, pinned } = this.timeline.state;
    if (!pinned.includes(key)) return "";
    return layout?.groups.find((other) => other.key === group)?.label ?? "";
  }

  #words(
    element: HTMLElement,
    label: string,
    detail: string,
    lines: boolean,
    tip: string | null,
  ): void {
    const key = `${lines} ${label}\n${detail}`;
    if (element.dataset.words === key) return;
    element.dataset.words = key;
    setAttributes(element, { "data-tip": tip });
    const { h } = this.ctx;
    setAttributes(element, { "data-lines": lines ? 2 : 1 });
    fill(element, h("span", {}, label), " ", h("span", { class: "nbp-label" }, detail));
  }
}

/** The key of the item at a position. */
export function keyOf(item: Placed): string {
  if (item.type === "group") return item.group.key;
  return item.type === "lane" ? item.lane.key : item.track.key;
}

function laneTip(lane: Lane): string {
  const lines = [
    [lane.label, lane.detail].filter(Boolean).join(", "),
    `${plural(lane.slices, "slice")} in ${plural(lane.depths, "row")}`,
  ];
  if (lane.moved)
    lines.push(`${plural(lane.moved, "slice")} overlap others and are drawn in sub-lanes`);
  return lines.join("\n");
}

function trackTip({ label, detail }: Track): string {
  return [label, detail].filter(Boolean).join("\n");
}
