/** What is known of a view before its script is there. */

/** What a view shows on request from elsewhere: the slices of some names, or what a name launched. */
export type Shows = "slices" | "launched";

export interface ViewInfo {
  name: string;
  /** The label of its tab. */
  title: string;
  /** What its table is grouped by at first; empty without any grouping. */
  group_by: string;
  /** The script that brings it. */
  script: string;
  shows?: Shows;
  /** Tables whose rows can be found in it, beside those that only it shows. */
  tables?: readonly string[];
  /** Whether its rows are called as modules are, which traces write otherwise. */
  ofModules?: boolean;
}

/** All views, in the order of their tabs. */
export const VIEWS: readonly ViewInfo[] = [
  { name: "overview", title: "Overview", group_by: "", script: "overview" },
  {
    name: "operators",
    title: "Operators",
    group_by: "name",
    script: "operators",
    tables: ["operators", "user_events"],
  },
  {
    name: "kernels",
    title: "Kernels",
    group_by: "name",
    script: "kernels",
    shows: "launched",
    tables: ["kernels"],
  },
  { name: "timeline", title: "Timeline", group_by: "thread", script: "timeline", shows: "slices" },
  { name: "memory", title: "Memory", group_by: "operators", script: "memory" },
  { name: "modules", title: "Modules", group_by: "", script: "modules", ofModules: true },
  { name: "distributed", title: "Distributed", group_by: "", script: "distributed" },
];
