/** The modules view: time and memory of modules as a flame graph and as a tree. */
import type { Context, Exportable, Panel, Part } from "../../core/context";
import type { Page, TraceInfo } from "../../core/protocol/protocol";
import { button } from "../../parts/states";
import { toKernels } from "../../table/links/kernels";
import { TableView } from "../../table/tableview";
import { formatNumber } from "../../values/format";
import { Flame } from "./flame";
import { TreeLines } from "./treestate";

const SEARCH_DELAY = 250;
const PLUMBING = ["module_id", "parent_id", "level", "expanded", "match"];

export class ModulesPanel implements Panel {
  readonly el: HTMLElement;
  #field: HTMLElement;
  #search: HTMLInputElement;
  #flame: Flame;
  #table: TableView;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ctx: Context) {
    const { h, session } = ctx;
    this.#search = h("input", {
      type: "text",
      placeholder: "name, /…/",
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
    const tree = new TreeLines(() => session.get("search") ?? "");
    const foldAll = (label: string, open: boolean) => button(h, label, () => tree.foldAll(open));
    const folds = h("span", { class: "nbp-pair" });
    folds.append(foldAll("Expand all", true), foldAll("Collapse all", false));
    this.#table = new TableView(ctx, {
      table: "modules",
      title: "Modules",
      nouns: ["module", "modules"],
      calls: ["", ""],
      groupings: [],
      stacks: false,
      ...toKernels(ctx.session),
      counts: (page) => {
        folds.hidden = !page.of;
        return countText(page);
      },
      field: folds,
      searchless: true,
      without: () => PLUMBING,
      foot: "A module called by several others has the figures of all its calls under each of them",
      tree,
      more: () => ({ tree: tree.expansion }),
    });
    this.#flame = new Flame(ctx, (name) => session.set({ selection: [{ name }] }), this.#field);
    this.el = h("div", { class: "nbp-body" }, this.#flame.el, this.#table.el);
  }

  setInfo(info: TraceInfo): void {
    this.#flame.setInfo(info);
    this.#table.setInfo(info);
  }

  get parts(): readonly Part[] {
    return [this, ...this.#flame.parts, this.#table];
  }

  update(): void {
    const search = this.ctx.session.get("search") ?? "";
    const { activeElement } = this.#search.getRootNode() as ShadowRoot | Document;
    if (activeElement !== this.#search) this.#search.value = search;
    this.#field.toggleAttribute("data-on", search !== "");
  }

  exports(): Exportable[] {
    return [...this.#flame.exports(), this.#table.exported];
  }

  #setSearch(): void {
    clearTimeout(this.#timer);
    const search = this.#search.value.trim();
    if (search !== this.ctx.session.get("search")) this.ctx.session.set({ search });
  }
}

/** "12 of 76 modules": the number that the filter keeps, whether visible or not. */
function countText({ of = 0, all }: Page): string {
  const part = of === all ? "" : `${formatNumber(of)} of `;
  return all ? `${part}${formatNumber(all)} ${all === 1 ? "module" : "modules"}` : "";
}
