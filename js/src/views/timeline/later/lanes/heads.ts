/** `Heads`: finds the lane, curve or group of a head (its label in the gutter), moves and resizes it. */
import type { Context } from "../../../../core/context";
import { keyOf } from "../../stage/gutter";
import { isGroup } from "../../state/lanes/placement";
import type { Placed, PlacedGroup, Timeline } from "../../state/types";
import { dropAt } from "./drop";

/** Change of a row's height with one press, CSS px. */
const TALLER = 3;

export class Heads {
  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
    /** The element that contains the heads. */
    readonly el: HTMLElement,
  ) {}

  /** The head that is the target of an event. */
  headOf(target: EventTarget | null): HTMLElement | null {
    const found = (target as Element | null)?.closest?.<HTMLElement>("[data-key]");
    return found && this.el.contains(found) ? found : null;
  }

  /** The lane, curve or group of a head. */
  itemOf(head: HTMLElement | null): Placed | undefined {
    const key = head?.dataset.key;
    return this.#all.find((item) => keyOf(item) === key);
  }

  /** The heads in sight, from top to bottom. */
  get shown(): HTMLElement[] {
    const heads = [...this.el.querySelectorAll<HTMLElement>("[data-key]")];
    const top = (head: HTMLElement) => Number.parseFloat(head.style.top);
    return heads.sort((a, b) => top(a) - top(b));
  }

  /** The items that an item can change places with: those of its group, or all groups. */
  siblingsOf(item: Placed): Placed[] {
    if (isGroup(item))
      return item.pinned ? [item] : this.#all.filter((one) => isGroup(one) && !one.pinned);
    const at = this.#all.findIndex((one) => keyOf(one) === keyOf(item));
    const before = (one: Placed | undefined) => one !== undefined && !isGroup(one);
    let first = at;
    while (before(this.#all[first - 1])) first -= 1;
    const end = this.#all.findIndex((one, place) => place > at && isGroup(one));
    return this.#all.slice(first, end < 0 ? undefined : end);
  }

  /** The extents on the canvas of what an item can change places with; a group's has all its lanes. */
  extentsOf(item: Placed) {
    const { lanes } = this.timeline;
    const siblings = this.siblingsOf(item);
    return siblings.map((one, at) => {
      const top = lanes.canvasY(one);
      const next = siblings[at + 1];
      const whole = next ? next.y - one.y : lanes.rows.height - one.y;
      return { key: keyOf(one), top, bottom: top + (isGroup(one) ? whole : one.height) };
    });
  }

  /** Move an item by one place, or say that it cannot. */
  step(item: Placed, by: 1 | -1): void {
    const keys = this.siblingsOf(item).map(keyOf);
    const at = keys.indexOf(keyOf(item));
    if (keys[at + by] === undefined) {
      this.ctx.announce(`${nameOf(item)} is already the ${by < 0 ? "first" : "last"}`);
      return;
    }
    this.move(item, (by < 0 ? keys[at - 1] : keys[at + 2]) ?? null);
  }

  /** Move an item before another, or to the end of its group. */
  move(item: Placed, before: string | null): void {
    const { lanes } = this.timeline;
    lanes.move(keyOf(item), before);
    const moved = this.#all.find((one) => keyOf(one) === keyOf(item));
    if (!moved) return;
    lanes.reveal(moved);
    const keys = this.siblingsOf(moved).map(keyOf);
    const place = keys.indexOf(keyOf(moved)) + 1;
    this.ctx.announce(`${nameOf(moved)} is number ${place} of ${keys.length}`);
  }

  /** The new position of an item that is dragged to a height; null if it would not change. */
  dropOf(item: Placed, y: number) {
    return dropAt(this.extentsOf(item), keyOf(item), y);
  }

  togglePinned(item: Exclude<Placed, PlacedGroup>): void {
    const key = keyOf(item);
    this.timeline.lanes.togglePinned(key);
    const now = this.timeline.state.pinned.includes(key);
    this.ctx.announce(`${nameOf(item)} ${now ? "stays at the top" : "is back in its group"}`);
  }

  /** Hide an item, and focus the item that takes its place. */
  hide(item: Placed): void {
    const { shown } = this;
    const at = shown.findIndex((head) => head.dataset.key === keyOf(item));
    const next = shown[at + 1] ?? shown[at - 1];
    next?.focus({ preventScroll: true });
    this.timeline.lanes.toggleHidden(keyOf(item));
    this.ctx.announce(`${nameOf(item)} hidden. Lanes ▾ shows it again.`);
  }

  /** Make the rows of a lane, or a curve, higher or lower. */
  grow(item: Exclude<Placed, PlacedGroup>, by: 1 | -1): void {
    const now = item.type === "track" ? item.height : item.rowHeight;
    const step = item.type === "track" ? 2 * TALLER : TALLER;
    this.timeline.lanes.resize(keyOf(item), now + by * step);
  }

  get #all(): readonly Placed[] {
    return this.timeline.lanes.rows.placed;
  }
}

export function nameOf(item: Placed): string {
  if (item.type === "group") return item.group.label;
  return item.type === "lane" ? item.lane.label : item.track.label;
}
