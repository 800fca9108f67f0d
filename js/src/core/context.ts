/** Types that all parts of a widget share: `Context`, `Part`, `Panel` and entries of the Export menu. */

import type { Popup } from "../parts/popup";
import type { ProgressLine } from "../parts/progress";
import type { Query } from "../table/pagestore";
import type { Make } from "./dom";
import type { Session } from "./state/session";
import type { Theme } from "./theme";

/** The layout of the widget by its own width; designed at 1000, 720 and 480 px. */
export type Width = "wide" | "mid" | "narrow";

export interface Context {
  readonly h: Make;
  readonly session: Session;
  /** Aborts when the view is removed. */
  readonly signal: AbortSignal;
  /** Identifies a view among those of its model. */
  readonly id: string;
  readonly root: HTMLElement;
  readonly popup: Popup;
  readonly progress: ProgressLine;
  /** Add style rules to those of the core. */
  addStyle(css: string): void;
  /** Announce a text to screen readers. */
  announce(text: string): void;
  width(): Width;
  /** The width available for content, CSS px; 0 before layout. */
  room(): number;
  theme(): Theme;
}

/** A part of the screen that is redrawn when a signal that it read changes. */
export interface Part {
  update(): void;
}

/** The content of a tab. */
export interface Panel {
  readonly el: HTMLElement;
  /** The parts that are drawn, each by itself, while the panel is shown. */
  readonly parts: readonly Part[];
  /** Entries of the Export menu besides the charts of the panel. */
  exports(): Exportable[];
}

/** A table on screen. */
export interface TableExport {
  title: string;
  query: Query;
  /** The visible columns, the name first; empty for all columns with values. */
  columns: readonly string[];
  /** The order of the rows. */
  sort: Query["sort"];
  /** The visible rows: the first, and the one after the last. */
  seen: readonly [first: number, end: number];
}

/** A part of the screen that is drawn on canvases. */
interface PictureExport {
  title: string;
  picture: HTMLElement;
}

/** An entry of the Export menu: a table, a picture, or the time range on screen as a trace. */
export type Exportable = TableExport | PictureExport | { trace: true };
