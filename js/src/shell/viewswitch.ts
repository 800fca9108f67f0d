/** Switches between views, and keeps the grouping and selection of each. */
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
    this.#selections.set(name, session.get("selection") ?? []);
    session.set({
      active: view.name,
      group_by: this.#groups.get(view.name) ?? view.group_by,
      selection: this.#selections.get(view.name) ?? [],
    });
  }
}
