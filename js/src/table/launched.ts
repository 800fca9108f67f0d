/** From what ran on the host to the kernels that it launched. */

import type { Session } from "../core/session";
import type { TableOptions } from "../table/tableoptions";

/** Whether there is a view to show them in. */
export function hasKernels(session: Session): boolean {
  return session.viewThatShows("launched") !== undefined;
}

/** What Enter does in a table whose rows are called as slices of the host are. */
export function toKernels(session: Session): Pick<TableOptions, "activate"> {
  return hasKernels(session)
    ? {
        activate: {
          words: "show its kernels",
          timeline: true,
          run: (rows, at) => showKernels(session, rows.text("name", at)),
        },
      }
    : {};
}

/** Filter to what slices of a name launched, and show the kernels of that. */
export function showKernels(session: Session, name: string): void {
  // Both are about the row that was shown, and kernels are called otherwise.
  const { name: _, kinds: __, ...filter } = session.get("filter") ?? {};
  const view = session.viewThatShows("launched");
  if (!view) return;
  session.set({
    filter: { ...filter, within: `=${name}` },
    active: view.name,
    group_by: view.group_by,
    selection: [],
  });
}
