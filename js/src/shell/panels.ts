/** Creates the panel of each view once its script is loaded, and shows the active one. */
import type { Context } from "../core/context";
import type { TraceInfo } from "../core/protocol/protocol";
import { loadedExports } from "../core/scripts/scripts";
import { type ReadonlySignal, signal, untracked, watch } from "../core/state/signals";
import type { ViewInfo } from "../core/views/viewinfo";
import type { ViewModule, ViewPanel } from "../core/views/viewmodule";

interface Entry {
  panel: ViewPanel;
  el: HTMLElement;
}

export class Panels {
  readonly el: HTMLElement;
  #entries = new Map<string, Entry>();
  /** Modules whose style was added. */
  #styled = new Set<ViewModule>();
  /** The names of the views whose panel exists. */
  readonly made = signal<readonly string[]>([]);

  constructor(
    private readonly ctx: Context,
    private readonly info: ReadonlySignal<TraceInfo | null>,
  ) {
    this.el = ctx.h("div");
  }

  /** The panel of a view; undefined until its script is loaded. */
  find(view: ViewInfo): ViewPanel | undefined {
    const module = moduleOf(view);
    return module && (this.#entries.get(view.name) ?? this.#make(view, module)).panel;
  }

  /** Show the panel of a view and hide the others. */
  show(view: ViewInfo): void {
    for (const [name, { el }] of this.#entries) el.hidden = name !== view.name;
  }

  #make(view: ViewInfo, module: ViewModule): Entry {
    const { h, id, session } = this.ctx;
    if (module.css && !this.#styled.has(module)) this.ctx.addStyle(module.css);
    this.#styled.add(module);
    const panel = new module.Panel(this.ctx, view);
    const single = session.views.length < 2;
    const named = single
      ? { role: "region", "aria-label": view.title }
      : { role: "tabpanel", "aria-labelledby": `${id}-tab-${view.name}` };
    const el = h("div", { id: `${id}-panel-${view.name}`, ...named }, panel.el);
    const entry = { panel, el };
    this.#entries.set(view.name, entry);
    this.el.append(el);
    watch(() => {
      const info = this.info.value;
      if (info) untracked(() => panel.setInfo(info));
    }, this.ctx.signal);
    this.made.value = [...this.#entries.keys()];
    return entry;
  }
}

/** The module of a view's script; undefined until it is loaded. */
export function moduleOf(view: ViewInfo): ViewModule | undefined {
  return loadedExports<ViewModule>(view.script);
}
