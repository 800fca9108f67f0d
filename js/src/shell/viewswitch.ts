/** Switches between views, keeping the grouping of each and the common selection. */
import { sameValue } from "../core/state/equality";
import { carried } from "../core/state/selecting";
import type { Session } from "../core/state/session";
import type { Key } from "../core/state/traits";
import type { ViewInfo } from "../core/views/viewinfo";

export class ViewSwitch {
  #groups = new Map<string, string>();
  /** The selection of each view, in the trace on screen. */
  #selections = new Map<string, Key[]>();

  constructor(private readonly session: Session) {}

  /** Remember the grouping of the active view. */
  noteGrouping(): void {
    this.#groups.set(this.session.view.name, this.session.get("group_by"));
  }

  /** Forget all selections, because another trace is shown. */
  forgetSelections(): void {
    this.#selections.clear();
  }

  goTo(view: ViewInfo): void {
    const { session } = this;
    const { name } = session.view;
    if (view.name === name) return;
    this.noteGrouping();
    const selection = session.get("selection") ?? [];
    this.#selections.set(name, selection);
    const { sliceName } = session;
    const named = sliceName && selection.some((key) => "side" in key);
    const common = named ? [{ name: sliceName }] : carried(selection);
    // A view keeps its own form of the selection (rows, or a slice) if it selects the same items.
    const own = this.#selections.get(view.name) ?? [];
    const same = sameValue(carried(own), common) || (!selection.length && !carried(own).length);
    session.set({
      active: view.name,
      group_by: this.#groups.get(view.name) ?? view.group_by,
      selection: same ? own : common,
    });
  }
}
