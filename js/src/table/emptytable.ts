/** A table without rows: why, and the ways out that Python names. */
import type { Context } from "../core/context";
import type { Empty } from "../core/protocol";
import { button, emptyState } from "../parts/states";

export function emptyTable(
  { h, session }: Context,
  empty: Empty | undefined,
  setSearch: (text: string) => void,
): HTMLElement {
  const actions = (empty?.actions ?? []).map(({ label, filter, search }, index) =>
    button(
      h,
      label,
      () => {
        if (search !== undefined) setSearch(search);
        if (filter) session.set({ filter });
      },
      index === 0 ? "primary" : "plain",
    ),
  );
  return emptyState(h, empty?.title ?? "Nothing to show", empty?.text ?? "", ...actions);
}
