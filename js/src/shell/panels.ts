/** What stands under each tab, made of what the scripts of views bring. */
import type { Context } from "../core/context";
import type { TraceInfo } from "../core/protocol";
import { broughtBy } from "../core/scripts";
import type { ViewInfo } from "../core/viewinfo";
import type { ViewModule, ViewPanel } from "../core/viewmodule";

interface Entry {
  panel: ViewPanel;
  el: HTMLElement;
}

export class Panels {
  readonly el: HTMLElement;
  #entries = new Map<string, Entry>();
  /** Modules whose style is there. */
  #styled = new Set<ViewModule>();
  #info: TraceInfo | null = null;

  constructor(private readonly ctx: Context) {
    this.el = ctx.h("div");
  }

  setInfo(info: TraceInfo): void {
    this.#info = info;
    for (const { panel } of this.#entries.values()) panel.setInfo(info);
  }

  /** The panel of a view; undefined until its script is there. */
  find(view: ViewInfo): ViewPanel | undefined {
    const module = moduleOf(view);
    return module && (this.#entries.get(view.name) ?? this.#make(view, module)).panel;
  }

  /** Show the panel of a view, and none else. */
  show(view: ViewInfo): void {
    for (const [name, { el }] of this.#entries) el.hidden = name !== view.name;
  }

  #make(view: ViewInfo, module: ViewModule): Entry {
    const { h, id, session } = this.ctx;
    if (module.css && !this.#styled.has(module)) this.ctx.addStyle(module.css);
    this.#styled.add(module);
    const panel = new module.Panel(this.ctx);
    const single = session.views.length < 2;
    const named = single
      ? { role: "region", "aria-label": view.title }
      : { role: "tabpanel", "aria-labelledby": `${id}-tab-${view.name}` };
    const el = h("div", { id: `${id}-panel-${view.name}`, ...named }, panel.el);
    const entry = { panel, el };
    this.#entries.set(view.name, entry);
    this.el.append(el);
    if (this.#info) panel.setInfo(this.#info);
    return entry;
  }
}

/** What the script of a view has brought; undefined until it is there. */
export function moduleOf(view: ViewInfo): ViewModule | undefined {
  return broughtBy<ViewModule>(view.script);
}
