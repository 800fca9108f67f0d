/**
 * The entry of the timeline's second script, which is loaded after the first picture: the panes below
 * the canvas, the tooltip, the help, and the menu of the lanes.
 *
 * It imports from the view and the core, but contains nothing of them; see `js/build.mjs`.
 */
import type { Context, Part } from "../../../core/context";
import type { Timeline } from "../state/types";
import { Foot } from "./footer";
import { Help } from "./help";
import { LanesMenu } from "./lanesmenu";
import { SlicePane } from "./slice/slicepane";
import css from "./styles/index.css";
import { Tip } from "./tip";

/** What stands around the canvas. */
export interface Later {
  /** The elements of these are children of `.nbp-tl`, in this order. */
  panes: readonly (Part & { el: HTMLElement })[];
  menu: Pick<LanesMenu, "toggle" | "update">;
}

export default function later(ctx: Context, timeline: Timeline): Later {
  ctx.addStyle(css);
  const panes = [
    new SlicePane(ctx, timeline),
    new Foot(ctx, timeline),
    new Tip(ctx, timeline),
    new Help(ctx, timeline),
  ];
  return { panes, menu: new LanesMenu(ctx, timeline) };
}
