/** What stands under each tab. */
import type { Context, Panel } from "./context";
import type { TraceInfo, View } from "./protocol";
import { DistributedPanel } from "./views/distributed";
import { KernelsPanel } from "./views/kernels";
import { MemoryPanel } from "./views/memory";
import { ModulesPanel } from "./views/modules";
import { OperatorsPanel } from "./views/operators";
import { OverviewPanel } from "./views/overview";
import { TimelinePanel } from "./views/timeline";

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
