/** Handles the keys on the head of a lane, a curve or a group. */
import type { Context } from "../../../../core/context";
import { keyOf } from "../../stage/gutter";
import { isGroup } from "../../state/lanes/placement";
import type { Placed, Timeline } from "../../state/types";
import type { Heads } from "./heads";

/** Handle the keys of heads; those with Ctrl or ⌘ are not handled. */
export function listenToHeads(ctx: Context, timeline: Timeline, heads: Heads): void {
  ctx.h.on(heads.el, {
    keydown: (event) => {
      const head = heads.headOf(event.target);
      const item = heads.itemOf(head);
      if (!head || !item || event.ctrlKey || event.metaKey) return;
      if (!act(event, head, item)) return;
      event.preventDefault();
      event.stopPropagation();
    },
  });

  function act({ key, altKey }: KeyboardEvent, head: HTMLElement, item: Placed): boolean {
    if (key === "ArrowUp" || key === "ArrowDown") {
      const by = key === "ArrowUp" ? -1 : 1;
      if (altKey) heads.step(item, by);
      else focusBeside(head, by);
      return true;
    }
    if (altKey) return false;
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const open = head.getAttribute("aria-expanded");
      if (open === (key === "ArrowLeft" ? "true" : "false"))
        timeline.lanes.toggleCollapsed(keyOf(item));
      return true;
    }
    if (key.toLowerCase() === "h") {
      if (item.pinned && item.type === "group") return false;
      heads.hide(item);
      return true;
    }
    if (item.type === "group") return false;
    if (key.toLowerCase() === "p" && !isGroup(item)) heads.togglePinned(item);
    else if (key === "+" || key === "=") heads.grow(item, 1);
    else if (key === "-") heads.grow(item, -1);
    else return false;
    return true;
  }

  /** Give the focus to the head above or below; out of sight there may be more. */
  function focusBeside(head: HTMLElement, by: 1 | -1): void {
    const { lanes } = timeline;
    const { placed } = lanes.rows;
    const next = placed[placed.findIndex((one) => keyOf(one) === head.dataset.key) + by];
    if (!next) return;
    lanes.reveal(next);
    // Heads are made with the next frame.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const beside = heads.shown.find((one) => one.dataset.key === keyOf(next));
        beside?.focus({ preventScroll: true });
      }),
    );
  }
}
