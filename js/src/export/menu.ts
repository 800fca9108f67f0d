/** Makes the Export menu: a line for each chart, table and range on screen, a button for each format. */
import { type Chart, chartOf } from "../chart/chart";
import { copyText } from "../core/clipboard";
import type { Context, Exportable, TableExport } from "../core/context";
import { fill } from "../core/dom";
import { chartSvg } from "./charts/document";
import { paintPicture } from "./charts/picture";
import { svgToPng } from "./charts/raster";
import { nameOf, saveFile, savePythonFile } from "./files";
import { pythonCode } from "./python";
import { rangeOf, rangeWords } from "./range";
import { csvParts, markdown, tabbed } from "./tables";

/** How long a button says that it is done before the menu closes, ms. */
const DONE = 900;
const PYTHON = "This needs Python.";

interface Form {
  label: string;
  /** The tooltip: what the button does. */
  tip: string;
  /** Why the button is disabled. */
  off?: string | undefined;
  /** Does it, and returns the result in one or two words. */
  run(): Promise<string>;
}

interface Line {
  title: string;
  forms: Form[];
}

const SAVED = "Saved";
const COPIED = "Copied";

/** @param items - entries of the view on screen besides its charts */
export function exportMenu(ctx: Context, items: readonly Exportable[]): HTMLElement {
  const { h } = ctx;
  const pictures = items.flatMap((item) => ("picture" in item ? [item] : []));
  const tables = items.flatMap((item) => ("query" in item ? [item] : []));
  const groups: [title: string, lines: Line[]][] = [
    [
      "Charts",
      [
        ...chartsOnScreen(ctx).map(([title, chart]) => chartLine(ctx, title, chart)),
        ...pictures.map(({ title, picture }) => pictureLine(ctx, title, picture)),
      ],
    ],
    ["Tables", tables.map((table) => tableLine(ctx, table))],
    ["Trace", items.some((item) => "trace" in item) ? [traceLine(ctx)] : []],
    ["View", [viewLine(ctx)]],
  ];
  const said = h("p", { role: "status", hidden: true });
  const say = (text: string) => {
    said.textContent = text;
    said.hidden = text === "";
  };
  return h(
    "div",
    { class: "nbp-export", "data-offline": true },
    groups.map(([title, lines]) =>
      lines.length
        ? [h("h4", {}, title), lines.map((line) => [label(ctx, line), forms(ctx, line, say)])]
        : null,
    ),
    said,
  );
}

function label({ h }: Context, { title }: Line): HTMLElement {
  return h("span", { "data-tip": title.length > 40 ? title : null }, title);
}

function forms(ctx: Context, { title, forms }: Line, say: (text: string) => void): HTMLElement {
  const { h, popup, announce } = ctx;
  const buttons = forms.map(({ label, tip, off, run }) => {
    const look = { type: "button", "aria-label": `${title}: ${label}`, title: off ?? tip };
    const button = h("button", { ...look, disabled: off !== undefined }, label);
    const work = async () => {
      if (button.getAttribute("aria-busy")) return;
      button.setAttribute("aria-busy", "true");
      fill(button, "…");
      say("");
      try {
        const done = await run();
        announce(`${title}: ${done}`);
        fill(button, done);
        setTimeout(() => button.isConnected && popup.closeMenu(), DONE);
      } catch (error) {
        fill(button, label);
        say(error instanceof Error ? error.message : String(error));
      } finally {
        button.removeAttribute("aria-busy");
      }
    };
    return h.on(button, { click: () => void work() });
  });
  return h("span", { class: "nbp-forms" }, buttons);
}

/** The charts in sight, by titles that tell them apart. */
function chartsOnScreen({ root }: Context): [title: string, chart: Chart][] {
  const found = [...root.querySelectorAll(".nbp-chart")].flatMap((el) => {
    const chart = chartOf(el);
    const inSight = (el as HTMLElement).checkVisibility?.() ?? true;
    return chart?.shown && inSight ? [chart] : [];
  });
  const titles = found.map(({ title }) => title);
  return found.map((chart): [string, Chart] => {
    const card = chart.el.closest("section")?.querySelector("h3")?.firstChild?.textContent ?? "";
    const several = titles.filter((other) => other === chart.title).length > 1;
    const named = several && card && card !== chart.title;
    return [named ? `${card}: ${chart.title}` : chart.title || card || "Chart", chart];
  });
}

function chartLine(ctx: Context, title: string, chart: Chart): Line {
  const name = nameOf(ctx, title);
  const svg = () => chartSvg(ctx, title, chart);
  const png = async () => saveFile(`${name}.png`, [await svgToPng(await svg())], "image/png");
  const text = async () => saveFile(`${name}.svg`, [(await svg()).text], "image/svg+xml");
  return {
    title,
    forms: [
      { label: "PNG", tip: "Save as a picture of pixels", run: () => png().then(() => SAVED) },
      { label: "SVG", tip: "Save as a drawing for any size", run: () => text().then(() => SAVED) },
    ],
  };
}

function pictureLine(ctx: Context, title: string, picture: HTMLElement): Line {
  const save = async () => {
    const blob = await paintPicture(ctx, title, picture);
    saveFile(`${nameOf(ctx, title)}.png`, [blob], "image/png");
    return SAVED;
  };
  return { title, forms: [{ label: "PNG", tip: "Save as a picture of pixels", run: save }] };
}

function tableLine(ctx: Context, table: TableExport): Line {
  const copied = (text: Promise<string>) => text.then(copyText).then(() => COPIED);
  const csv = async () => {
    const { filename, parts } = await csvParts(ctx, table);
    saveFile(filename, parts, "text/csv;charset=utf-8");
    return SAVED;
  };
  return {
    title: table.title,
    forms: [
      { label: "CSV", tip: "Save all rows under the filter, exact numbers", run: csv },
      {
        label: "Markdown",
        tip: "Copy the rows in sight as they are shown",
        run: () => copied(markdown(ctx, table)),
      },
      {
        label: "Python",
        tip: "Copy code that makes this table a pandas DataFrame",
        run: () => copied(pythonCode(ctx, table)),
      },
      {
        label: "Copy",
        tip: "Copy all rows under the filter, to paste into a spreadsheet",
        run: () => copied(tabbed(ctx, table)),
      },
    ],
  };
}

function traceLine(ctx: Context): Line {
  const { session } = ctx;
  const range_us = rangeOf(session);
  const save = () =>
    savePythonFile(ctx, "trace_file", { state: session.state, range_us }).then(() => SAVED);
  const off = whyOff(ctx);
  const tip = "Save as a trace for Perfetto, chrome://tracing and nbprof";
  return { title: rangeWords(session), forms: [{ label: "Trace", tip, off, run: save }] };
}

function viewLine(ctx: Context): Line {
  const { session } = ctx;
  const save = () => savePythonFile(ctx, "page_file", { state: session.state }).then(() => SAVED);
  const off = session.model.page ? "This is that page: save it with the browser." : whyOff(ctx);
  const tip = "Save as one page that needs neither Python nor a network";
  return { title: "Whole view as a page", forms: [{ label: "HTML", tip, off, run: save }] };
}

function whyOff({ session }: Context): string | undefined {
  return session.router.connected ? undefined : `${PYTHON} ${session.again}`;
}
