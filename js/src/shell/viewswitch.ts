/** From one view to another: each keeps its grouping and what was selected in it. */
import type { Key, Session } from "../core/session";
import type { ViewInfo } from "../core/viewinfo";

export class ViewSwitch {
  #groups = new Map<string, string>();
  /** A selection is of one trace. */
  #selections = new Map<string, Key[]>();

  constructor(private readonly session: Session) {}

  /** Note how the view on screen is grouped. */
  noteGrouping(): void {
    this.#groups.set(this.session.view.name, this.session.get("group_by"));
  }

  /** Another trace is on screen. */
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
