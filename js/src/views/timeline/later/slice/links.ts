/** Links from the selected slice to related ones (launch, kernel, parent, …), with their keys. */
import type { Context } from "../../../../core/context";
import { fill, setAttributes } from "../../../../core/dom";
import { link } from "../../../../parts/states";
import { displayName } from "../../../../values/names";
import type { SliceDetails } from "../../data/messages";
import { needsPython } from "../../panes/disabled";
import type { Timeline } from "../../state/types";

type Kind = SliceDetails["follow"][number]["kind"];

/** In the order of display. */
const KINDS: Record<Kind, { label: string; key: string }> = {
  counterpart: { label: "Counterpart", key: "C" },
  operator: { label: "Operator", key: "[" },
  queue: { label: "Queue", key: "Q" },
  launch: { label: "Launch", key: "L" },
  kernel: { label: "Kernel", key: "K" },
  backward: { label: "Backward", key: "B" },
  forward: { label: "Forward", key: "B" },
  parent: { label: "Parent", key: "↑" },
  previous: { label: "Previous", key: "" },
  next: { label: "Next call", key: "]" },
};

export class Follow {
  readonly el: HTMLElement;
  #list: HTMLElement;
  #drawn = "";

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
  ) {
    const { h } = ctx;
    this.#list = h("div");
    this.el = h(
      "div",
      { class: "nbp-tl-follow", "data-offline": true },
      h("div", { class: "nbp-strong" }, "Follow"),
      this.#list,
    );
  }

  update(): void {
    const { selected, details } = this.timeline.state;
    const known = selected && details?.slice === selected.slice ? details : null;
    const none = selected ? this.#without() : "No slice is selected.";
    const key = known ? `${known.slice} ${known.name}` : none;
    if (key === this.#drawn) return;
    this.#drawn = key;
    fill(this.#list, ...this.#rows(known, none));
  }

  /** The reason why there are no details of the selected slice. */
  #without(): string {
    const { connected } = this.ctx.session.router;
    return connected ? "Reading its arrows" : needsPython(this.ctx.session, "Following");
  }

  #rows(details: SliceDetails | null, none: string): HTMLElement[] {
    const { h } = this.ctx;
    const kinds = Object.keys(KINDS) as Kind[];
    const found = kinds.flatMap((kind) =>
      (details?.follow ?? []).filter((way) => way.kind === kind),
    );
    if (!found.length) {
      const words = details ? "No arrow leads to or from this slice." : none;
      return [h("p", { class: "nbp-muted" }, words)];
    }
    return found.map(({ kind, label, target }, at) => {
      const { label: what, key } = KINDS[kind];
      const first = found[at - 1]?.kind !== kind;
      const to = link(h, displayName(label), () => this.timeline.goTo(target));
      setAttributes(to, { title: label, "aria-label": `${what}: ${label}` });
      return h(
        "div",
        { class: "nbp-tl-way" },
        h("span", { class: "nbp-muted" }, first ? what : ""),
        to,
        first && key ? h("kbd", { "aria-hidden": "true" }, key) : null,
      );
    });
  }
}
