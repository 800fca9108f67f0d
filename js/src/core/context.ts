/** What the parts of one view on the screen have in common. */

import type { Popup } from "../parts/popup";
import type { ProgressLine } from "../parts/progress";
import type { Make } from "./dom";
import type { Session } from "./session";
import type { Theme } from "./theme";

/** Layouts of the widget by its own width: 1000, 720 and 480 px as drawn. */
export type Width = "wide" | "mid" | "narrow";

export interface Context {
  readonly h: Make;
  readonly session: Session;
  /** Aborted when the view goes away. */
  readonly signal: AbortSignal;
  /** Tells the views of one model apart. */
  readonly id: string;
  readonly root: HTMLElement;
  readonly popup: Popup;
  readonly progress: ProgressLine;
  /** Bring rules beside those of the core. */
  addStyle(css: string): void;
  /** Tell a screen reader. */
  announce(text: string): void;
  width(): Width;
  /** Room for content, CSS px; 0 while nothing is laid out. */
  room(): number;
  theme(): Theme;
}

/** A tab's content. */
export interface Panel {
  readonly el: HTMLElement;
  /** Bring the panel up to date; called whenever anything may have changed. */
  update(): void;
  /** What Export offers for this panel. */
  exports(): ExportEntry[];
}

export interface ExportEntry {
  label: string;
  run(): Promise<string>;
}
