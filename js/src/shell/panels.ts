/** What stands under each tab. */
import type { Context, Panel } from "../core/context";
import type { TraceInfo, View } from "../core/protocol";
import { DistributedPanel } from "../views/distributed/panel";
import { KernelsPanel } from "../views/kernels/panel";
import { MemoryPanel } from "../views/memory/panel";
import { ModulesPanel } from "../views/modules/panel";
import { OperatorsPanel } from "../views/operators/panel";
import { OverviewPanel } from "../views/overview/panel";
import { TimelinePanel } from "../views/timeline/panel";

export type ViewPanel = Panel & {
  setInfo(info: TraceInfo): void;
  /** Whether it has something to do without a kernel. */
  readonly worksAlone?: boolean;
};

/** What the table of a view is grouped by at first. */
export const FIRST_GROUPING: Record<View, string> = {
  overview: "",
  operators: "name",
  kernels: "name",
  timeline: "thread",
  memory: "operators",
  modules: "",
  distributed: "",
};

export const PANELS: Record<View, new (ctx: Context) => ViewPanel> = {
  overview: OverviewPanel,
  operators: OperatorsPanel,
  kernels: KernelsPanel,
  timeline: TimelinePanel,
  memory: MemoryPanel,
  modules: ModulesPanel,
  distributed: DistributedPanel,
};
