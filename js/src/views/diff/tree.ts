/** `Tree`: the modules, operators and kernels of both sides, aligned, as lines that open. */
import type { Context, Exportable } from "../../core/context";
import { signal } from "../../core/state/signals";
import { button } from "../../parts/states";
import { TableView } from "../../table/tableview";
import { TreeLines } from "../../trees/treelines";
import type { Rows } from "../../values/arrow";
import { formatNumber, plural } from "../../values/format";
import { exactPattern } from "../../values/names";
import { nameWidth } from "./looks";

const SEARCH_DELAY = 250;
const PLUMBING = [
  "row",
  "parent",
  "depth",
  "level",
  "expanded",
  "match",
  "baseline_name",
  "candidate_name",
  "occurrence",
];
const LINES = 16;
/** How far each level is indented, CSS px: less where deep lines have no room for their names. */
const [INDENT, SMALL_INDENT] = [14, 7];
/** Between the names of a renamed row; `nbprof/widgets/views/diff/tables.py` has the same. */
export const RENAMED = " → ";
/** Kinds of rows that contain what they launched; others are leaves. */
const RANGES = ["step", "annotation", "module"];

export class Tree {
  readonly table: TableView;

  constructor(ctx: Context) {
    const { h, session } = ctx;
    const search = signal("");
    const input = h("input", { type: "text", placeholder: "name, /…/", spellcheck: "false" });
    input.setAttribute("aria-label", "Search the calls of both sides by name");
    let timer: ReturnType<typeof setTimeout> | undefined;
    h.on(input, {
      input: () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          search.value = input.value.trim();
        }, SEARCH_DELAY);
      },
    });
    ctx.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    const indent = () => (ctx.width() === "wide" ? INDENT : SMALL_INDENT);
    const tree = new TreeLines(() => search.value, "row", "Calls", {}, indent);
    const tools = h("span", { class: "nbp-pair" });
    tools.append(
      h("label", { class: "nbp-field", "data-kind": "search" }, h("span", {}, "Search"), input),
      button(h, "Expand all", () => tree.foldAll(true)),
      button(h, "Collapse all", () => tree.foldAll(false)),
    );
    this.table = new TableView(ctx, {
      table: "diff_tree",
      title: "Modules, operators and kernels",
      nouns: ["call", "calls"],
      calls: ["", ""],
      groupings: [],
      stacks: false,
      field: tools,
      searchless: true,
      lines: LINES,
      get nameWidth() {
        return nameWidth(ctx);
      },
      counts: ({ of = 0, all }) =>
        all ? `${of === all ? "" : `${formatNumber(of)} of `}${plural(all, "row")}` : "",
      without: () => PLUMBING,
      foot: "Opened along the largest change; aligned level by level, so that what was added, removed or renamed shifts nothing else",
      tree,
      more: () => ({ tree: tree.expansion }),
      attributes: (rows, at) => ({ ...changeOf(rows, at), "data-acts": !isStep(rows, at) }),
      activate: {
        words: "filter both sides to it",
        timeline: (rows, at) => showRow(ctx, rows, at),
        run: (rows, at) => {
          if (isStep(rows, at)) return ctx.announce("Both sides are compared by their whole steps");
          const names = namesOf(rows, at);
          const inside = RANGES.includes(rows.text("kind", at)) && names.length === 1;
          session.setFilter(inside ? { within: `=${names[0]}` } : { name: exactPattern(names) });
        },
      },
    });
  }

  exports(): Exportable[] {
    return [this.table.exported];
  }
}

/** The names of a row: that of the baseline and that of the candidate, if they differ. */
function namesOf(rows: Rows, at: number): string[] {
  const names = [rows.text("baseline_name", at), rows.text("candidate_name", at)];
  return [...new Set(names.filter(Boolean))];
}

function isStep(rows: Rows, at: number): boolean {
  return rows.text("kind", at) === "step";
}

/** Show the slices of a row in the timeline: on the candidate's side if it has any. */
function showRow({ session, announce }: Context, rows: Rows, at: number): void {
  const view = session.viewThatShows("slices");
  if (!view) return;
  const own = rows.text("candidate_name", at);
  const [name = ""] = own ? [own] : namesOf(rows, at);
  session.wantsFirstMatch = true;
  session.set({
    active: view.name,
    group_by: view.group_by,
    selection: [],
    search: isStep(rows, at) ? "" : exactPattern([name], rows.text("kind", at) === "module"),
    window: null,
  });
  announce(`${name} of the ${own ? "candidate" : "baseline, in its lanes below,"} in the timeline`);
}

/** The attributes of a line that its style depends on. */
export function changeOf(rows: Rows, at: number) {
  return { "data-change": rows.text("change", at) || null };
}
