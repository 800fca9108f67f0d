/**
 * The entry of the script `export`, loaded when the Export menu is opened: the menu, and the
 * conversion of charts, tables, ranges and whole views to files or text.
 *
 * Charts, CSV and Markdown are made in the browser, so saved notebooks and exported pages can, too.
 */
import type { Context, Exportable } from "../core/context";
import { exportMenu } from "./menu";
import css from "./style.css";

export type ExportMenu = (ctx: Context, items: readonly Exportable[]) => HTMLElement;

const styled = new WeakSet<HTMLElement>();

const open: ExportMenu = (ctx, items) => {
  if (!styled.has(ctx.root)) ctx.addStyle(css);
  styled.add(ctx.root);
  return exportMenu(ctx, items);
};

export default open;
