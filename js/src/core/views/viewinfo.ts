/** The description of a view that Python sends before its script is loaded. */
import type { TabInfo } from "../protocol/messages";

export type ViewInfo = TabInfo;

/** What a view can show for other views: the slices of a name, or the kernels that it launched. */
export type Shows = Exclude<TabInfo["shows"], "">;
