/** The details of a selected block, which stands for slices too short to draw at this zoom. */

import { CATEGORY_TOKENS } from "../../../../canvas/palette";
import type { Context } from "../../../../core/context";
import type { Child } from "../../../../core/dom";
import { button } from "../../../../parts/states";
import { lengthText } from "../../../../values/format";
import { positionChoice } from "../../drawing/ticks";
import { blockWords, canZoomInto, positionText } from "../../panes/positiontext";
import type { Hit, Timeline } from "../../state/types";
import { columns, type Fact, nameLine } from "./factlist";

export function blockFacts(ctx: Context, timeline: Timeline, block: Hit): Fact[] {
  const { view } = timeline.state;
  const choice = ctx.session.get("time_unit") ?? "auto";
  const { start_ns, end_ns } = block.span ?? view;
  const window = view.end_ns - view.start_ns;
  return [
    ["First start", positionText(start_ns, window, positionChoice(ctx, timeline))],
    ["Extent", lengthText(end_ns - start_ns, choice)],
    ["Busy", lengthText(block.busy_ns, choice)],
  ];
}

export function blockParts(
  { h }: Context,
  timeline: Timeline,
  block: Hit,
  facts: readonly Fact[],
): Child[] {
  const { category, span } = block;
  const [count, , mostly] = blockWords(block, "auto");
  const zoom = button(h, "Zoom in", () => span && timeline.zoomTo(span));
  zoom.dataset.offline = "";
  return [
    nameLine(h, category && CATEGORY_TOKENS[category], count, mostly),
    columns(h, facts),
    canZoomInto(block)
      ? zoom
      : h(
          "p",
          { class: "nbp-muted" },
          "All are at the same time: zooming in cannot separate them.",
        ),
  ];
}
