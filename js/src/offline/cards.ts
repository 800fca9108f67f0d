/** Answers for the cards of a view from saved state: descriptions, tables and charts. */

import type { Drawing } from "../chart/drawing";
import type { CardInfo } from "../core/protocol/protocol";
import type { SavedState } from "../core/saved/savedstate";
import type { Value } from "../values/arrow";
import { chooseTimeUnit, type TimeUnit, type UnitChoice } from "../values/format";
import type { Params, TableSource } from "./answerer";
import { donutHeight, drawDonut } from "./charts/donut";
import { drawPoints, pointsOf } from "./charts/points";
import { drawRows } from "./charts/rows";
import { ranked } from "./charts/slices";
import type { Part } from "./charts/steps/bars";
import { drawBars } from "./charts/steps/steps";
import { columnOf, given, type StoredTable } from "./tables/tables";

/** A chart whose numbers are in a table: one row per bar and one column per part, or one row per slice. */
interface Chart {
  name: string;
  kind: "bars" | "donut" | "points";
  title: string;
  quantity: "time" | "count" | "share";
  /** Whether it has the height of wide charts. */
  low: boolean;
  /** Whether the parts of a bar are stacked rather than side by side. */
  stacked: boolean;
  /** The colour tokens of its parts or slices. */
  tokens: string[];
  /** Of points: the texts of the legend, the titles of the axes, and the roofs. */
  labels: string[];
  axes: [string, string];
  roofs: [label: string, token: string, peak: number, slope: number][];
  rows: string;
}

interface CardVariant {
  info: CardInfo;
  rows: string;
  charts: Chart[];
}

/** A stored card with each of its choices; `nbprof/widgets/saved/cards.py` writes it. */
interface KeptCard {
  name: string;
  variants: Record<string, CardVariant>;
}

const UNITS: Record<string, TimeUnit> = {
  share: { label: "%", divisor: 1, decimals: 1 },
  count: { label: "calls", divisor: 1, decimals: 0 },
};
/** An extra column of stored tables: whether the filter leaves a bar out. */
const OUTSIDE = "nbprof:outside";
const GAP = 16;
const BESIDE = 600;

/** Describe the cards of a view, with their tables as buffers. */
export async function describe(
  saved: SavedState,
  view: string,
  source: TableSource,
  params: Params,
  first: number,
): Promise<{ cards: CardInfo[]; buffers: Uint8Array[] }> {
  const buffers: Uint8Array[] = [];
  const cards: CardInfo[] = [];
  for (const { info, rows } of variantsOf(saved, view, params)) {
    const table = await source.table(rows, "");
    const note = table ? info.note : (source.lacks?.(rows) ?? "");
    const figures = table ? info.figures : [];
    // Under a filter there are fewer rows than in the saved state.
    const of = table && table.length < table.about.rows ? table.length : info.of;
    cards.push({ ...info, note, figures, rows: table ? first + buffers.length : -1, of });
    if (table) buffers.push(given(table));
  }
  return { cards, buffers };
}

/** Draw the charts of a view's cards. */
export async function drawCards(
  saved: SavedState,
  view: string,
  tables: { source: TableSource; around(picks: string): TableSource | null },
  params: Params,
  look: { unit: UnitChoice; width(name: string): number },
): Promise<Record<string, Drawing>> {
  const drawn: Record<string, Drawing> = {};
  for (const { charts, info } of variantsOf(saved, view, params)) {
    for (const chart of charts) {
      const all = look.width(chart.name);
      const width = charts.length > 1 && all >= BESIDE ? Math.floor((all - GAP) / 2) : all;
      const table = await tables.source.table(chart.rows, "");
      if (!table) continue;
      const whole = await tables.around(info.picks)?.table(chart.rows, "");
      const kept = new Set(table.columns[0]?.values);
      const shown = whole ?? table;
      const told = columnOf(shown, OUTSIDE)?.values;
      const outside = (one: Value, row: number) => Boolean(told ? told[row] : !kept.has(one));
      drawn[chart.name] = draw(chart, shown, width, look.unit, outside);
    }
  }
  return drawn;
}

/** The variant of each card that the choices select. */
function variantsOf(saved: SavedState, view: string, { choices }: Params): CardVariant[] {
  const chosenBy = (choices ?? {}) as Record<string, Record<string, string>>;
  return (saved.about<KeptCard[]>(`cards:${view}`) ?? []).flatMap(({ name, variants }) => {
    const all = Object.values(variants);
    const key = Object.values(chosenBy[name] ?? {}).join("/");
    return variants[key] ?? all[0] ?? [];
  });
}

/** @param outside - whether a bar is outside of the filter */
function draw(
  chart: Chart,
  table: StoredTable,
  width: number,
  choice: UnitChoice,
  outside: (one: Value, row: number) => boolean,
): Drawing {
  const columns = table.columns.filter(({ name }) => name !== OUTSIDE);
  if (chart.kind === "points") {
    const roofs = chart.roofs.map(([label, token, peak, slope]) => {
      return { label, color: colorOf(token), peak, slope };
    });
    const series = chart.tokens.map((token, at) => {
      return { label: chart.labels[at] ?? "", color: colorOf(token) };
    });
    const { axes } = chart;
    return drawPoints(pointsOf(columns, outside), { roofs, series, axes, choice, width });
  }
  const [x, ...parts] = columns.map(({ values }) => values) as [Value[], ...Value[][]];
  const lengths = parts.map((part) => part.map((value) => Number(value ?? 0)));
  if (chart.kind === "donut") {
    const names = x.map(String);
    const color = (name: string) => colorOf(chart.tokens[names.indexOf(name)] ?? "");
    const height = donutHeight(chart.low ? 1e3 : width, 0);
    const look = { width, height, unit: choice, title: chart.title };
    return drawDonut(ranked(names, lengths[0] ?? [], color), look);
  }
  const { stacked } = chart;
  const join = (top: number, length: number) => (stacked ? top + length : Math.max(top, length));
  const tops = x.map((_, row) => lengths.reduce((top, part) => join(top, part[row] ?? 0), 0));
  const unit = UNITS[chart.quantity] ?? chooseTimeUnit(tops, choice);
  const scaled = (values: number[]) => values.map((value) => value / unit.divisor);
  const drawn = lengths.map((part, at): Part => {
    const token = chart.tokens[at] ?? "";
    const title = columns[at + 1]?.name ?? "";
    return { title, color: colorOf(token), hatched: token === "other", values: scaled(part) };
  });
  const shown = drawn.filter(({ values }) => values.some(Boolean));
  const totals = scaled(tops);
  const muted = x.map(outside);
  if (columns[0]?.kind === "text")
    return drawRows(
      { names: x, rest: table.about.rest ?? "", totals, parts: shown, unit, stacked, muted },
      width,
    );
  const bars = {
    numbers: x.map(Number),
    totals,
    parts: shown,
    complete: totals.map(() => true),
    unit,
    stacked,
    mean: null,
    muted,
  };
  return drawBars(bars, width, "bars", true);
}

/** The CSS colour of a token; see `nbprof/charts/theme.py`. */
function colorOf(token: string): string {
  return token.startsWith("slot")
    ? `var(--o-${token.slice(4)})`
    : `var(--c-${token.replace("_", "-")})`;
}
