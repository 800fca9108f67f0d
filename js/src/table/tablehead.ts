/** `TableHead`: the bar above a table: title and counts, grouping, search, choice of columns. */

import type { Context } from "../core/context";
import type { Page, TraceInfo } from "../core/protocol/protocol";
import { signal } from "../core/state/signals";
import { Segments } from "../parts/segments";
import { button } from "../parts/states";
import { formatNumber, plural } from "../values/format";
import type { ColumnSpec } from "./columnspec";

interface Grouping {
  value: string;
  label: string;
  /** Data that the trace must contain for it. */
  needs?: string;
}

export interface TableTitle {
  /** The name of the table in Python. */
  table: string;
  title: string;
  nouns: [one: string, many: string];
  calls: [one: string, many: string];
  groupings: Grouping[];
  /** In a view of several tables: the value of `group_by` while rows of this one are selected. */
  part?: string;
  /** Returns the text for the number of rows. */
  counts?: (page: Page) => string;
  /** An element before the search field. */
  field?: HTMLElement;
  /** Whether the table has no search field of its own. */
  searchless?: boolean;
}

const FIND_DELAY = 250;

export class TableHead {
  readonly el: HTMLElement;
  #counts: HTMLElement;
  #groups: Segments<string>;
  #find: HTMLInputElement;
  #search = signal("");
  /** Whether the shares of the filter and of all are shown. */
  #shares = signal(false);
  #hasShares = false;
  #hidden = new Set<string>();
  /** The columns that the user showed, and with a minus those hidden. */
  #shown = signal<ReadonlySet<string>>(new Set());
  #specs: ColumnSpec[] = [];
  #notes: Record<string, string> = {};
  #info = signal<TraceInfo | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly ctx: Context,
    private readonly options: TableTitle,
    /** Gives all columns their widths again; undefined where none was changed. */
    private readonly resetWidths: () => (() => void) | undefined,
  ) {
    const { h } = ctx;
    this.#counts = h("small");
    this.#groups = new Segments(h, "Group by", (value) => {
      ctx.session.set({ group_by: value, selection: [] });
    });
    this.#find = h("input", {
      type: "text",
      placeholder: "in this table",
      "aria-label": `Find in ${options.title}`,
    });
    h.on(this.#find, {
      input: () => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.setSearch(this.#find.value), FIND_DELAY);
      },
    });
    ctx.signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
    const columns = button(h, "Columns ▾", () => this.#showColumns(columns));
    columns.setAttribute("aria-haspopup", "true");
    columns.setAttribute("aria-expanded", "false");
    columns.dataset.offline = "";
    const groups = h(
      "span",
      { class: "nbp-pair" },
      h("span", { class: "nbp-label" }, "Group by"),
      this.#groups.el,
    );
    const words = h("span", {}, "Find");
    const find = h("label", { class: "nbp-field", "data-kind": "find" }, words, this.#find);
    this.el = h(
      "div",
      { class: "nbp-head" },
      h("h3", {}, options.title, this.#counts),
      h("span", { class: "nbp-gap" }),
      options.groupings.length > 0 && groups,
      options.field,
      !options.searchless && find,
      columns,
    );
  }

  get group_by(): string {
    const chosen = this.ctx.session.get("group_by");
    const known = this.options.groupings.some((grouping) => grouping.value === chosen);
    return known ? chosen : (this.options.groupings[0]?.value ?? "");
  }

  setInfo(info: TraceInfo): void {
    this.#info.value = info;
  }

  /** The search text of this table. */
  get search(): string {
    return this.#search.value;
  }

  get shares(): boolean {
    return this.#shares.value;
  }

  readonly setSearch = (text: string): void => {
    const search = text.trim();
    if (this.#find.value.trim() !== search) this.#find.value = text;
    this.#search.value = search;
  };

  setPage(page: Page, specs: ColumnSpec[]): void {
    this.#specs = specs;
    this.#notes = page.notes ?? {};
    this.#hidden = new Set(page.hidden);
    this.#hasShares = (page.shares ?? []).length > 0;
    const [, many] = this.options.nouns;
    const { total, all } = page;
    if (this.options.counts) {
      this.#counts.textContent = this.options.counts(page);
      return;
    }
    const row = this.group_by === "name" ? "name" : "row";
    const words = [
      total === all ? plural(total, row) : `${formatNumber(total)} of ${formatNumber(all)} ${many}`,
      page.calls === null ? "" : callsText(page, this.options.calls),
    ];
    this.#counts.textContent = words.filter(Boolean).join(" · ");
  }

  /** Whether the selected rows are of this table. */
  get owns(): boolean {
    const { part } = this.options;
    return part === undefined || this.ctx.session.get("group_by") === part;
  }

  /** The columns to show: not hidden by the user, and those without values only on request. */
  shown(specs: ColumnSpec[]): ColumnSpec[] {
    return specs.filter((spec, index) => index === 0 || this.#isShown(spec));
  }

  update(): void {
    const { has = {}, hints = {} } = this.#info.value ?? {};
    this.#groups.set(
      this.options.groupings.map(({ value, label, needs }) => ({
        value,
        label,
        off:
          needs && has[needs] === false
            ? (hints[needs] ?? "Not in this trace.")
            : this.ctx.session.lacks(`table:${this.options.table}:${value}`),
      })),
      this.group_by,
    );
  }

  #isShown({ key, rare }: ColumnSpec): boolean {
    const shown = this.#shown.value;
    return shown.has(key) || (!rare && !this.#hidden.has(key) && !shown.has(`-${key}`));
  }

  #showColumns(anchor: HTMLElement): void {
    const { h, popup } = this.ctx;
    const items = this.#specs.slice(1).map((spec) => {
      const box = h("input", { type: "checkbox" });
      box.checked = this.#isShown(spec);
      h.on(box, {
        change: () => {
          const [mark, opposite] = box.checked
            ? [spec.key, `-${spec.key}`]
            : [`-${spec.key}`, spec.key];
          const rest = [...this.#shown.value].filter((one) => one !== opposite);
          this.#shown.value = new Set([...rest, mark]);
        },
      });
      const words = spec.group ? `${spec.group}: ${spec.label.toLowerCase()}` : spec.label;
      const none = this.#hidden.has(spec.key);
      const why = none ? (this.#notes[spec.key] ?? "Not in this trace.") : spec.meaning;
      return h("label", { "data-tip": why }, box, words, none ? " (not recorded)" : null);
    });
    const reset = this.resetWidths();
    popup.toggleMenu(
      anchor,
      "Columns",
      this.#hasShares && this.#shareSwitch(),
      ...items,
      reset && button(h, "Reset widths", reset, "quiet"),
    );
  }

  #shareSwitch(): HTMLElement {
    const { h } = this.ctx;
    const box = h("input", { type: "checkbox" });
    box.checked = this.#shares.peek();
    h.on(box, {
      change: () => {
        this.#shares.value = box.checked;
      },
    });
    const tip = "What each row takes of the rows under the filter, and of the whole trace";
    return h("label", { "data-tip": tip }, box, "Shares of filter and of all");
  }
}

function callsText(page: Page, [one, many]: [string, string]): string {
  const calls = page.calls ?? 0;
  const all = page.all_sums?.calls;
  if (all === undefined || all === null || all === calls) return plural(calls, one, many);
  return `${formatNumber(calls)} of ${formatNumber(all)} ${many}`;
}
