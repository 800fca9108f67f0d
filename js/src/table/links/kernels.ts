/** Actions of table rows that show the kernels launched by the row's operator or event. */

import type { Session } from "../../core/state/session";
import { escapedName } from "../../values/names";
import type { TableOptions } from "../tableoptions";

/** Whether there is a view that shows them. */
export function hasKernels(session: Session): boolean {
  return session.viewThatShows("launched") !== undefined;
}

/** The Enter action of tables whose rows have the names of host slices. */
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

/** Filter to what slices of a name, or of a family of names, launched, and show the kernels. */
export function showKernels(session: Session, name: string): void {
  // Both conditions concern host rows; kernels have other names.
  const { name: _, kinds: __, ...filter } = session.get("filter") ?? {};
  const view = session.viewThatShows("launched");
  if (!view) return;
  session.set({
    filter: { ...filter, within: name.includes("…") ? alike(name) : `=${name}` },
    active: view.name,
    group_by: view.group_by,
    selection: [],
  });
}

/** A pattern for the names of a family, which is shown with "…" for what differs. */
function alike(family: string): string {
  return `/^${family.split("…").map(escapedName).join(".*")}$/`;
}
