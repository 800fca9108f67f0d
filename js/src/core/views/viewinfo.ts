/** Types of the description of a view, which Python sends before the view's script is loaded. */
import type { TabInfo } from "../protocol/messages";

export type ViewInfo = TabInfo;

/** Requests of other views that a view answers: slices of a name, or the kernels it launched. */
export type Shows = Exclude<TabInfo["shows"], "">;
