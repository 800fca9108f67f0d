/**
 * The entry of the script `export`, loaded when the Export menu is opened: the menu, and the
 * conversion of charts, tables, ranges and whole views to files or text.
 *
 * Charts, CSV and Markdown are made in the browser, so saved notebooks and exported pages can, too.
 */
import type { Context, Exportable } from "../core/context";
import { csvText } from "./csv";
import { exportMenu } from "./menu";
import css from "./style.css";

const styled = new WeakSet<HTMLElement>();

function openMenu(ctx: Context, items: readonly Exportable[]): HTMLElement {
  if (!styled.has(ctx.root)) ctx.addStyle(css);
  styled.add(ctx.root);
  return exportMenu(ctx, items);
}

const exporting = { openMenu, csvText };
export type Exporting = typeof exporting;
export default exporting;
