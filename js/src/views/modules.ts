/** Modules: where their time and memory goes, as a flame graph and as a tree. */
import type { Context, ExportEntry, Panel } from "../context";
import { tableExports } from "../exports";
import { Flame } from "../modules/flame";
import { TreeTable } from "../modules/treetable";
import type { TraceInfo } from "../protocol";

const SEARCH_DELAY = 250;

export class ModulesPanel implements Panel {
  readonly el: HTMLElement;
  #field: HTMLElement;
  #search: HTMLInputElement;
  #flame: Flame;
  #tree: TreeTable;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ctx: Context) {
    const { h } = ctx;
    this.#search = h("input", {
      type: "text",
      placeholder: "contains, or /regex/",
      spellcheck: "false",
      "aria-label": "Search modules and frames by name",
    });
    h.on(this.#search, {
      input: () => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#setSearch(), SEARCH_DELAY);
      },
      change: () => this.#setSearch(),
    });
    ctx.signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
    this.#field = h(
      "label",
      { class: "nbp-field", "data-kind": "search" },
      h("span", {}, "Search"),
      this.#search,
    );
    this.#tree = new TreeTable(ctx);
    this.#flame = new Flame(ctx, (name) => this.#tree.choose(name), this.#field);
    this.el = h("div", { class: "nbp-body" }, this.#flame.el, this.#tree.el);
  }

  setInfo(info: TraceInfo): void {
    this.#flame.setInfo(info);
  }

  update(): void {
    const search = this.ctx.session.get("search") ?? "";
    const { activeElement } = this.#search.getRootNode() as ShadowRoot | Document;
    if (activeElement !== this.#search) this.#search.value = search;
    this.#field.toggleAttribute("data-on", search !== "");
    this.#flame.update();
    this.#tree.update();
  }

  exports(): ExportEntry[] {
    return tableExports(this.ctx, "modules", this.#tree);
  }

  #setSearch(): void {
    clearTimeout(this.#timer);
    const search = this.#search.value.trim();
    if (search !== this.ctx.session.get("search")) this.ctx.session.set({ search });
  }
}
