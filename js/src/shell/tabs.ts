/** The tabs of the views, or a select where there is no room for tabs. */
import type { Context } from "../core/context";
import { fill, setAttributes } from "../core/dom";
import type { TraceInfo } from "../core/protocol/protocol";
import type { ReadonlySignal } from "../core/state/signals";
import type { ViewInfo } from "../core/views/viewinfo";
import { SelectField } from "./controls";

export class Tabs {
  /** The row of tabs. */
  readonly el: HTMLElement;
  /** The same choice as a select. */
  readonly select: SelectField;
  #buttons = new Map<string, HTMLButtonElement>();

  constructor(
    private readonly ctx: Context,
    /** The names of the views whose panel exists. */
    private readonly made: ReadonlySignal<readonly string[]>,
    private readonly info: ReadonlySignal<TraceInfo | null>,
    private readonly choose: (view: ViewInfo) => void,
  ) {
    const { h } = ctx;
    this.el = h("div", { class: "nbp-tabs", role: "tablist", "aria-label": "Views" });
    this.select = new SelectField(h, "View", (name) => {
      const view = ctx.session.views.find((one) => one.name === name);
      if (view) choose(view);
    });
    h.on(this.el, { keydown: (event) => this.#key(event) });
  }

  update(): void {
    const { h, session, id } = this.ctx;
    const { views, view: active } = session;
    if (views.length !== this.#buttons.size || views.some(({ name }) => !this.#buttons.has(name))) {
      this.#buttons = new Map(
        views.map((view) => {
          const { name, title } = view;
          const tab = h("button", { type: "button", role: "tab", id: `${id}-tab-${name}` }, title);
          return [name, h.on(tab, { click: () => this.choose(view) })];
        }),
      );
      fill(this.el, ...this.#buttons.values());
    }
    const has = this.info.value?.has;
    for (const { name, content, optional } of views) {
      const tab = this.#buttons.get(name);
      if (!tab) continue;
      const on = name === active.name;
      // The view itself says why it is empty.
      const empty = has !== undefined && content.length > 0 && !content.some((one) => has[one]);
      setAttributes(tab, {
        "aria-selected": String(on),
        "aria-controls": this.made.value.includes(name) ? `${id}-panel-${name}` : null,
        tabindex: on ? 0 : -1,
        "data-empty": empty ? "" : null,
        hidden: empty && optional && !on ? "" : null,
        "data-tip": empty && !on ? "Nothing of this was recorded" : null,
      });
    }
    this.select.set(
      views.map(({ name, title }) => ({ value: name, label: title })),
      active.name,
    );
    this.select.el.hidden = views.length < 2;
  }

  #key(event: KeyboardEvent): void {
    const { views, view: active } = this.ctx.session;
    const at = views.indexOf(active);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: views.length - 1 }[event.key];
    if (to === undefined) return;
    const view = views[(to + views.length) % views.length];
    if (view) {
      this.choose(view);
      this.#buttons.get(view.name)?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
