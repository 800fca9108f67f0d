/**
 * The entry of the timeline's second script, which is loaded after the first picture: the panes below
 * the canvas, the tooltip, the help, and the menu of the lanes; and answers without Python.
 *
 * It imports from the view and the core, but contains nothing of them; see `js/build.mjs`.
 */
import type { Context, Part } from "../../../core/context";
import type { Timeline } from "../state/types";
import { AlignBar } from "./alignbar";
import { find, slices } from "./alone";
import { Foot } from "./footer";
import { Help } from "./help";
import { HeadDrag } from "./lanes/headdrag";
import { listenToHeads } from "./lanes/headkeys";
import { HeadMenu } from "./lanes/headmenu";
import { Heads } from "./lanes/heads";
import { LanesMenu } from "./lanes/lanesmenu";
import { SlicePane } from "./slice/slicepane";
import css from "./styles/index.css";
import { Tip } from "./tip";
import { WorkersMenu } from "./workersmenu";

/** The panes around the canvas. */
export interface Later {
  /** The elements of these are children of `.nbp-tl`, in this order. */
  panes: readonly (Part & { el: HTMLElement })[];
  menu: Pick<LanesMenu, "toggle" | "update">;
  /** Actions on the heads of lanes. */
  heads: Part;
  workers: Pick<WorkersMenu, "toggle" | "update">;
  /** The content of the bar above the lanes of two runs. */
  align: Pick<AlignBar, "parts" | "update">;
}

/** @param lanes - the element that contains the heads of the lanes */
function make(ctx: Context, timeline: Timeline, lanes: HTMLElement): Later {
  ctx.addStyle(css);
  const panes = [
    new SlicePane(ctx, timeline),
    new Foot(ctx, timeline),
    new Tip(ctx, timeline),
    new Help(ctx, timeline),
  ];
  const heads = new Heads(ctx, timeline, lanes);
  const drag = new HeadDrag(ctx, timeline, heads);
  listenToHeads(ctx, timeline, heads);
  const headMenu = new HeadMenu(ctx, timeline, heads, drag);
  const workers = new WorkersMenu(ctx, timeline);
  const menu = new LanesMenu(ctx, timeline);
  return { panes, menu, workers, heads: headMenu, align: new AlignBar(ctx, timeline) };
}

const script = { make, slices, find };
export type LaterScript = typeof script;
export default script;
