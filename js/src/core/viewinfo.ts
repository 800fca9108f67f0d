/** What is known of a view before its script is there. */
import type { TabInfo } from "./messages";

export type ViewInfo = TabInfo;

/** What a view shows on request from elsewhere: the slices of some names, or what a name launched. */
export type Shows = Exclude<TabInfo["shows"], "">;
