/** The modules of a trace as a table that is a tree. */
import { Rows } from "../arrow";
import { familyUnits, valueCell } from "../cells";
import { copyText } from "../clipboard";
import { type ColumnSpec, columnSpecs, HOST } from "../columns";
import type { Context } from "../context";
import { fill } from "../dom";
import { emptyTable } from "../emptytable";
import { formatNumber, plural, type TimeUnit } from "../format";
import { Grid } from "../grid";
import { Loader } from "../loader";
import { nameCell } from "../namecell";
import { exactPattern } from "../names";
import { fetchWhole, type Query } from "../pages";
import type { Page } from "../protocol";
import { selectedNames, toggled } from "../selection";
import type { Key } from "../session";
import { button } from "../states";
import { keyHelp } from "../text";
import { hasTimeline, showInTimeline } from "../timeline/show";
import { SHARE, withShare } from "./share";
import { type Module, ModuleTree, nameMatcher, type Sort } from "./tree";

const INDENT = 14;
const HIDDEN = ["module_id", "parent_id"];

export class TreeTable {
  readonly el: HTMLElement;
  #counts: HTMLElement;
  #show: HTMLButtonElement;
  #filter: HTMLButtonElement;
  #fold: HTMLElement;
  #grid: Grid;
  #foot: HTMLElement;
  #range: HTMLElement;
  #empty: HTMLElement;
  #loader: Loader;
  #page: Page | null = null;
  #rows = new Rows(0, []);
  #tree = new ModuleTree(this.#rows, new Set());
  #lines: Module[] = [];
  #specs: ColumnSpec[] = [];
  #units: ReadonlyMap<string, TimeUnit> = new Map();
  #sort: Sort | null = null;
  #matches: ReadonlySet<Module> = new Set();
  #searched = "";
  #trace = "";
  #drawn = "";

  constructor(private readonly ctx: Context) {
    const { h } = ctx;
    this.#counts = h("small");
    this.#show = button(h, "Show in timeline", () => this.#showSelected());
    this.#show.dataset.tip = "Mark the calls of the selected modules in the timeline [T]";
    this.#filter = button(h, "Filter to selection", () => this.#filterToSelection(), "primary");
    const all = button(h, "Expand all", () => this.#foldAll(true));
    const none = button(h, "Collapse all", () => this.#foldAll(false));
    for (const one of [all, none]) one.dataset.offline = "";
    this.#fold = h("span", { class: "nbp-pair" }, all, none);
    this.#grid = new Grid(ctx, "Modules", this.#source(), this.#events(), undefined, "treegrid");
    this.#grid.onRange = (first, last) => {
      const words = [first, last, this.#lines.length].map((n) => formatNumber(n));
      this.#range.textContent = `Rows ${words[0]} to ${words[1]} of ${words[2]} opened`;
    };
    this.#range = h("span");
    const keys = keyHelp(h, {
      stacks: false,
      enter: "filter to it",
      timeline: hasTimeline(ctx.session),
    });
    this.#foot = h(
      "div",
      { class: "nbp-foot" },
      this.#range,
      h("span", {}, "A module under several others has the figures of all its calls in each"),
      h("span", { class: "nbp-keys", style: "margin-left:auto" }, keys),
    );
    this.#empty = h("div", { hidden: true });
    const content = h("div", {}, this.#empty, this.#grid.el, this.#foot);
    this.#loader = new Loader(ctx, "page:modules", "the modules", content);
    const head = h(
      "div",
      { class: "nbp-head" },
      h("h3", {}, "Modules", this.#counts),
      h("span", { class: "nbp-gap" }),
      this.#show,
      this.#filter,
      this.#fold,
    );
    this.el = h("section", {}, head, this.#loader.el);
  }

  get query(): Query {
    const { state } = this.ctx.session;
    return { state, table: "modules", group_by: "", sort: null, search: "" };
  }

  get shownColumns(): string[] {
    return this.#specs.map((spec) => spec.key).filter((key) => key !== SHARE);
  }

  update(): void {
    const { session } = this.ctx;
    const names = selectedNames(session);
    this.#show.hidden = !names.length || !hasTimeline(session);
    this.#filter.hidden =
      !names.length || session.get("filter")?.name === exactPattern(names, true);
    const { query } = this;
    const asked = this.#loader.need(
      JSON.stringify(query),
      "",
      (options) => fetchWhole(session.router, query, options),
      ({ page, rows }) => this.#take(page, rows),
    );
    if (!asked && this.#page) this.#draw();
  }

  /** Select the one module of this name, and bring it into sight; several are left as they are. */
  choose(name: string): void {
    const [module, another] = this.#tree.find((other) => other === name);
    if (!module || another) return;
    this.ctx.session.set({ selection: [this.#key(module)] });
    this.#tree.openPath(module);
    this.#arrange();
    this.#grid.goTo(this.#lines.indexOf(module), false);
  }

  #take(page: Page, rows: Rows): void {
    const trace = this.ctx.session.traceKey;
    const open = trace === this.#trace ? this.#tree.open : new Set<number>();
    this.#page = page;
    this.#rows = withShare(rows);
    this.#tree = new ModuleTree(this.#rows, open);
    if (trace !== this.#trace) this.#tree.openFirst();
    this.#trace = trace;
    this.#searched = "";
    this.#drawn = "";
    const { total, all } = page;
    const of = total === all ? "" : ` of ${formatNumber(all)}`;
    const noun = all === 1 ? "module" : "modules";
    this.#counts.textContent = total ? `${formatNumber(total)}${of} ${noun}` : "";
    this.ctx.announce(this.#counts.textContent || "No modules");
    this.#draw();
  }

  #draw(): void {
    const nothing = this.#tree.size === 0;
    for (const part of [this.#grid.el, this.#foot]) part.hidden = nothing;
    this.#fold.hidden = this.#tree.parents.length === 0;
    this.#empty.hidden = !nothing;
    if (nothing) {
      fill(
        this.#empty,
        emptyTable(this.ctx, this.#page?.empty, () => {}),
      );
      return;
    }
    const wish = this.ctx.session.get("time_unit") ?? "auto";
    const key = JSON.stringify([wish, this.ctx.room(), this.#sort]);
    if (key !== this.#drawn) {
      this.#drawn = key;
      const hidden = new Set([...(this.#page?.hidden ?? []), ...HIDDEN]);
      // The first column is that of the name.
      const columns = this.#rows.columns.filter((column) => !hidden.has(column.name));
      this.#specs = columnSpecs("modules", columns);
      if (hidden.has("device_total_us"))
        this.#specs = this.#specs.map((s) => (s.key === SHARE ? { ...s, fill: HOST } : s));
      this.#units = familyUnits(this.#specs, this.#rows, this.#rows.length, wish);
      this.#grid.setHead({
        specs: this.#specs,
        units: this.#units,
        sort: this.#sort,
        nameWidth: this.#nameWidth(),
      });
    }
    this.#search();
    this.#arrange();
  }

  /** Open the way to what is searched for, once for every search. */
  #search(): void {
    const search = this.ctx.session.get("search") ?? "";
    if (search === this.#searched) return;
    this.#searched = search;
    const matcher = nameMatcher(search);
    const found = matcher ? this.#tree.find(matcher) : [];
    this.#matches = new Set(found);
    for (const module of found) this.#tree.openPath(module);
    const [first] = this.#tree.visible(this.#sort).filter((module) => this.#matches.has(module));
    this.#arrange();
    if (first) this.#grid.goTo(this.#lines.indexOf(first), false);
  }

  #arrange(): void {
    this.#lines = this.#tree.visible(this.#sort);
    this.#grid.setRows(this.#lines.length);
  }

  #foldAll(open: boolean): void {
    this.#tree.open.clear();
    if (open) for (const module of this.#tree.parents) this.#tree.open.add(module.id);
    this.#grid.scrollToTop();
    this.#arrange();
  }

  #turn(module: Module, open: boolean): void {
    if (open) this.#tree.open.add(module.id);
    else this.#tree.open.delete(module.id);
    this.#arrange();
  }

  #source() {
    return {
      cells: (line: number) => this.#cells(line),
      childCells: () => [],
      isSelected: (line: number) => this.#isSelected(line),
      seen: () => {},
      attributes: (line: number) => {
        const module = this.#lines[line];
        const expanded = module?.children.length ? String(this.#tree.open.has(module.id)) : null;
        return { "aria-level": module?.level ?? 1, "aria-expanded": expanded };
      },
    };
  }

  #cells(line: number): HTMLTableCellElement[] | null {
    const module = this.#lines[line];
    if (!module) return null;
    const { h } = this.ctx;
    return this.#specs.map((spec, index) =>
      index === 0
        ? this.#nameCell(module)
        : valueCell(h, spec, this.#rows.get(spec.key, module.row), {
            units: this.#units,
            maximum: spec.key === SHARE ? 100 : this.#page?.maxima[spec.key],
            note: this.#page?.notes?.[spec.key],
          }),
    );
  }

  #nameCell(module: Module): HTMLTableCellElement {
    const others = this.#specs.slice(1).reduce((sum, spec) => sum + spec.width, 0);
    const open = this.#tree.open.has(module.id);
    const leaf = module.children.length === 0;
    return nameCell(this.ctx, {
      name: module.name,
      slot: this.#page?.slots[module.row],
      width: Math.max(this.#nameWidth(), this.ctx.room() - 2 - others),
      twisty: leaf ? null : { open, label: "Modules", toggle: () => this.#turn(module, !open) },
      indent: (module.level - 1) * INDENT + (leaf ? 16 : 0),
      match: this.#matches.has(module),
    });
  }

  #nameWidth(): number {
    return { wide: 260, mid: 220, narrow: 170 }[this.ctx.width()];
  }

  #events() {
    return {
      sort: (key: string) => this.#sortBy(key),
      select: (line: number, add: boolean) => this.#select(line, add),
      activate: (line: number) => {
        if (!this.#isSelected(line)) this.#select(line, false);
        this.#filterToSelection();
      },
      open: (line: number) => this.#inwards(line),
      close: (line: number) => this.#outwards(line),
      copy: (line: number) => void this.#copy(line),
      clear: () => this.ctx.session.set({ selection: [] }),
      show: (line: number) => {
        if (!this.#isSelected(line)) this.#select(line, false);
        this.#showSelected();
      },
    };
  }

  /** Open a module; of an open one go to the first inside. */
  #inwards(line: number): void {
    const module = this.#lines[line];
    if (!module?.children.length) return;
    if (this.#tree.open.has(module.id)) this.#grid.goTo(line + 1, true);
    else this.#turn(module, true);
  }

  /** Close a module; of a closed one go to the one round it. */
  #outwards(line: number): void {
    const module = this.#lines[line];
    if (module?.children.length && this.#tree.open.has(module.id)) this.#turn(module, false);
    else if (module?.parent) this.#grid.goTo(this.#lines.indexOf(module.parent), true);
  }

  /** The largest first, then the smallest, then as they ran; names the other way round. */
  #sortBy(key: string): void {
    const first = key === "name" ? "asc" : "desc";
    const second = first === "asc" ? "desc" : "asc";
    const now = this.#sort?.[0] === key ? this.#sort[1] : null;
    this.#sort = now === null ? [key, first] : now === first ? [key, second] : null;
    this.#draw();
  }

  #key({ id, name }: Module): Key {
    return { module_id: id, name };
  }

  /** A selection may name only some of the keys. */
  #isSelected(line: number): boolean {
    const module = this.#lines[line];
    if (!module) return false;
    const own = this.#key(module);
    return (this.ctx.session.get("selection") ?? []).some((key) =>
      Object.keys(key).every((name) => key[name] === own[name]),
    );
  }

  #select(line: number, add: boolean): void {
    const module = this.#lines[line];
    if (!module) return;
    const { session } = this.ctx;
    session.set({ selection: toggled(session.get("selection") ?? [], this.#key(module), add) });
  }

  /** Names of what is selected; a selection from elsewhere may have numbers alone. */
  #names(): string[] {
    const selected = this.ctx.session.get("selection") ?? [];
    const ids = new Set(selected.filter((key) => key.name === undefined).map((k) => k.module_id));
    const numbered = this.#tree.find(() => true).filter((module) => ids.has(module.id));
    return [...selectedNames(this.ctx.session), ...numbered.map((module) => module.name)];
  }

  #showSelected(): void {
    showInTimeline(this.ctx, this.#names(), true);
  }

  #filterToSelection(): void {
    const names = this.#names();
    if (!names.length) return;
    this.ctx.session.setFilter({ name: exactPattern(names, true) });
    this.ctx.announce(`Filtered to ${plural(names.length, "module")}`);
  }

  async #copy(line: number): Promise<void> {
    await copyText(this.#lines[line]?.name ?? "");
    this.ctx.announce("Name copied");
  }
}
