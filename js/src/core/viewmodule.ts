/** What the script of a view brings. */
import type { Context, Panel } from "./context";
import type { TraceInfo } from "./protocol";

export interface ViewPanel extends Panel {
  setInfo(info: TraceInfo): void;
}

export interface ViewModule {
  /** Makes what stands under the tab. */
  readonly Panel: new (
    ctx: Context,
  ) => ViewPanel;
  /** Rules beside those of the core. */
  readonly css?: string;
  /** Whether it has something to show without a kernel and without answers. */
  readonly worksAlone?: boolean;
}
