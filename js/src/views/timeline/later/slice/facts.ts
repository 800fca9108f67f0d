/** Shows the details of the selected slice: name, facts in two columns, call stack. */

import { CATEGORY_WORDS } from "../../../../canvas/categories";
import { CATEGORY_TOKENS } from "../../../../canvas/palette";
import type { Context } from "../../../../core/context";
import { fill, setAttributes } from "../../../../core/dom";
import { sameValue } from "../../../../core/state/equality";
import { formatNumber, lengthText } from "../../../../values/format";
import { parseStack } from "../../../../values/names";
import { bold } from "../../../../values/text";
import type { SliceDetails, SliceRef } from "../../data/messages";
import { positionChoice } from "../../drawing/ticks";
import { needsPython } from "../../panes/disabled";
import { positionText } from "../../panes/positiontext";
import type { Timeline } from "../../state/types";
import { blockFacts, blockParts } from "./block";
import { columns, type Fact, nameLine } from "./factlist";

/** The facts that every slice has, known before Python adds others, in the chosen unit. */
export function factsOf(ctx: Context, timeline: Timeline, slice: SliceRef): Fact[] {
  const { view, details } = timeline.state;
  const choice = ctx.session.get("time_unit") ?? "auto";
  const { start_ns, end_ns } = slice;
  const facts: Fact[] = [
    ["Start", positionText(start_ns, view.end_ns - view.start_ns, positionChoice(ctx, timeline))],
    ["Duration", lengthText(end_ns - start_ns, choice)],
  ];
  if (details?.slice !== slice.slice) return facts;
  if (details.self_ns !== null && details.self_ns !== end_ns - start_ns)
    facts.push(["Self", lengthText(details.self_ns, choice)]);
  const said = new Set(facts.map(([label]) => label));
  return [...facts, ...details.facts.filter(([label]) => !said.has(label))];
}

export class Facts {
  readonly el: HTMLElement;
  #drawn: unknown;
  #stackOpen = false;

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
  ) {
    this.el = ctx.h("div", { class: "nbp-tl-slice" });
  }

  update(): void {
    const { state } = this.timeline;
    const { selected, details, block } = state;
    const { ctx, timeline } = this;
    const facts = selected
      ? factsOf(ctx, timeline, selected)
      : block
        ? blockFacts(ctx, timeline, block)
        : [];
    const known = details?.slice === selected?.slice ? details : null;
    const { connected } = ctx.session.router;
    const key = [selected, block, known?.slice, facts, connected];
    if (sameValue(key, this.#drawn)) return;
    this.#drawn = key;
    if (selected) fill(this.el, this.#head(known), columns(ctx.h, facts), this.#more(known));
    else if (block) fill(this.el, ...blockParts(ctx, timeline, block, facts));
    else fill(this.el, this.#nothing());
  }

  #head(details: SliceDetails | null): HTMLElement {
    const { h } = this.ctx;
    if (!details) {
      const name = this.timeline.state.selected?.name || "…";
      return nameLine(h, null, name, "");
    }
    const { name, category, slot } = details;
    const own = typeof slot === "number";
    const color = own ? `var(--o-${slot})` : CATEGORY_TOKENS[category];
    return nameLine(h, color, name, CATEGORY_WORDS[category].one);
  }

  #more(details: SliceDetails | null): HTMLElement | null {
    const { h, session } = this.ctx;
    if (details) return details.call_stack ? this.#stack(details.call_stack) : null;
    const words = session.router.connected ? "Reading the details" : needsPython(session, "More");
    return h("p", { class: "nbp-muted" }, words);
  }

  #nothing(): HTMLElement {
    const { h } = this.ctx;
    return h(
      "p",
      { class: "nbp-muted" },
      "Click a slice to see its details. Shift+drag over lanes selects a range.",
    );
  }

  /** The call stack: the user's frame, the others on request. */
  #stack(stack: string): HTMLElement {
    const { h } = this.ctx;
    const frames = parseStack(stack);
    const first = frames.find((frame) => frame.user) ?? frames[0];
    const rest = frames.length - 1;
    const all = h(
      "ol",
      { class: "nbp-tl-frames nbp-mono", hidden: !this.#stackOpen },
      frames.map(({ text, user }) => h("li", {}, user ? bold(h, text) : text)),
    );
    const words = () => (this.#stackOpen ? "− hide frames" : `+ ${formatNumber(rest)} frames`);
    const more = h("button", {
      type: "button",
      class: "nbp-link nbp-mono nbp-muted",
      "data-offline": true,
      "aria-expanded": String(this.#stackOpen),
    });
    more.textContent = words();
    h.on(more, {
      click: () => {
        this.#stackOpen = !this.#stackOpen;
        all.hidden = !this.#stackOpen;
        more.textContent = words();
        setAttributes(more, { "aria-expanded": String(this.#stackOpen) });
      },
    });
    return h(
      "div",
      { class: "nbp-tl-stack" },
      h("span", { class: "nbp-muted" }, "Call stack"),
      h("span", { class: "nbp-mono nbp-tl-frame1" }, first ? bold(h, first.text) : ""),
      rest > 0 ? more : null,
      all,
    );
  }
}
