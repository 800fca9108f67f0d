/** The message of a table without rows: why it is empty, and the actions that help. */
import type { Context } from "../core/context";
import type { Empty } from "../core/protocol/protocol";
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
