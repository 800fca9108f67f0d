/** Types that all parts of a widget share: context, panel, part and Export entry. */

import type { Popup } from "../parts/popup";
import type { ProgressLine } from "../parts/progress";
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
  /** Width available for content, CSS px; 0 before layout. */
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
  /** The entries of the Export menu for this panel. */
  exports(): ExportEntry[];
}

export interface ExportEntry {
  label: string;
  run(): Promise<string>;
}
