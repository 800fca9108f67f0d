/** The modules view: time and memory of modules as a flame graph and as a tree. */
import type { Context, Exportable, Panel, Part } from "../../core/context";
import type { Page, TraceInfo } from "../../core/protocol/protocol";
import { SearchField } from "../../parts/searchfield";
import { button } from "../../parts/states";
import { toKernels } from "../../table/links/kernels";
import { TableView } from "../../table/tableview";
import { TreeLines } from "../../trees/treelines";
import { formatNumber } from "../../values/format";
import { Flame } from "./flame";

const PLUMBING = ["module_id", "parent_id", "level", "expanded", "match"];

export class ModulesPanel implements Panel {
  readonly el: HTMLElement;
  #search: SearchField;
  #flame: Flame;
  #table: TableView;

  constructor(ctx: Context) {
    const { h, session } = ctx;
    this.#search = new SearchField(ctx, "Search modules and frames by name", "name, /…/");
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
      foot: "A shared module shows its total under every caller",
      tree,
      more: () => ({ tree: tree.expansion }),
    });
    this.#flame = new Flame(ctx, (name) => session.set({ selection: [{ name }] }), this.#search.el);
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
    this.#search.update();
  }

  exports(): Exportable[] {
    return [...this.#flame.exports(), this.#table.exported];
  }
}

/** "12 of 76 modules": the number that the filter keeps, whether visible or not. */
function countText({ of = 0, all }: Page): string {
  const part = of === all ? "" : `${formatNumber(of)} of `;
  return all ? `${part}${formatNumber(all)} ${all === 1 ? "module" : "modules"}` : "";
}
