/** The views as tabs, and as a select where there is no room for tabs. */
import type { Context } from "../core/context";
import { fill, setAttributes } from "../core/dom";
import type { View } from "../core/protocol";
import { SelectField } from "./controls";

export const TITLES: Record<View, string> = {
  overview: "Overview",
  operators: "Operators",
  kernels: "Kernels",
  timeline: "Timeline",
  memory: "Memory",
  modules: "Modules",
  distributed: "Distributed",
};

export class Tabs {
  /** The row of tabs. */
  readonly el: HTMLElement;
  /** The same choice as a select. */
  readonly select: SelectField;
  #buttons = new Map<View, HTMLButtonElement>();

  constructor(
    private readonly ctx: Context,
    private readonly choose: (view: View) => void,
  ) {
    const { h } = ctx;
    this.el = h("div", { class: "nbp-tabs", role: "tablist", "aria-label": "Views" });
    this.select = new SelectField(h, "View", (view) => choose(view as View));
    h.on(this.el, { keydown: (event) => this.#key(event) });
  }

  update(): void {
    const { h, session, id, root } = this.ctx;
    const { views, active } = session;
    if (views.length !== this.#buttons.size || views.some((view) => !this.#buttons.has(view))) {
      this.#buttons = new Map(
        views.map((view) => {
          const tab = h(
            "button",
            { type: "button", role: "tab", id: `${id}-tab-${view}` },
            TITLES[view],
          );
          return [view, h.on(tab, { click: () => this.choose(view) })];
        }),
      );
      fill(this.el, ...this.#buttons.values());
    }
    for (const [view, tab] of this.#buttons) {
      const on = view === active;
      setAttributes(tab, {
        "aria-selected": String(on),
        "aria-controls": root.querySelector(`#${id}-panel-${view}`) ? `${id}-panel-${view}` : null,
        tabindex: on ? 0 : -1,
      });
    }
    this.select.set(
      views.map((view) => ({ value: view, label: TITLES[view] })),
      active,
    );
    this.select.el.hidden = views.length < 2;
  }

  #key(event: KeyboardEvent): void {
    const { views, active } = this.ctx.session;
    const at = views.indexOf(active);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: views.length - 1 }[event.key];
    if (to === undefined) return;
    const view = views[(to + views.length) % views.length];
    if (view) {
      this.choose(view);
      this.#buttons.get(view)?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
