/** The message if no profile was found: where nbprof searched for what, and how to record one. */
import type { Make } from "../core/dom";
import type { Catalog } from "../core/protocol/protocol";
import { button, emptyState, link } from "../parts/states";

export function noProfiles(
  h: Make,
  catalog: Catalog,
  lookAgain: () => void,
  showFiles: () => void,
): HTMLElement {
  const where = catalog.source ? ` in ${catalog.source}` : "";
  const files = catalog.skipped_count ?? catalog.skipped.length;
  const record = 'on_trace_ready=tensorboard_trace_handler("logs/")';
  const again = button(h, "Refresh", lookAgain, "primary");
  const why = files ? link(h, "Show the files and why each was skipped", showFiles) : null;
  const text = catalog.failure?.message ?? catalog.looked_for;
  const box = emptyState(h, `No profiles${where}`, text, again, why);
  if (!catalog.failure) {
    const words = h("p", { class: "nbp-muted" }, "Record one with ", h("code", {}, record), ".");
    box.insertBefore(words, box.lastElementChild);
  }
  return box;
}
