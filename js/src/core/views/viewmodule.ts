/** `ViewModule`: the interface of a view's script. */
import type { Context, Panel } from "../context";
import type { TraceInfo } from "../protocol/protocol";
import type { ViewInfo } from "./viewinfo";

export interface ViewPanel extends Panel {
  setInfo(info: TraceInfo): void;
}

export interface ViewModule {
  /** Creates the content of the tab. */
  readonly Panel: new (
    ctx: Context,
    view: ViewInfo,
  ) => ViewPanel;
  /** Style rules in addition to those of the core. */
  readonly css?: string;
  /** Whether it can show something without a kernel and without saved state of tables. */
  readonly worksOffline?: boolean;
}
