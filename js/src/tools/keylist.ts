/** The list of keys behind `?`. */
import type { Context } from "../core/context";

const KEYS: readonly (readonly [keys: readonly string[], what: string])[] = [
  [["?"], "This list"],
  [["/"], "Go to the name filter"],
  [["G"], "Go to the next table of the view, or to its timeline or graph"],
  [["[", "]"], "Previous, next view"],
  [["Tab", "Shift Tab"], "The next control, the one before"],
  [["←", "→", "Home", "End"], "On the tabs: switch view"],
  [
    ["↑", "↓", "Enter", "Esc"],
    "Under the name filter: choose a suggested name, use it, close the list",
  ],
  [
    ["←", "→", "Enter"],
    "In a chart: select the bar or slice before or after, make the selection the filter;" +
      " Shift selects several, Ctrl moves without selecting",
  ],
  [["T"], "In a chart or table: show what is selected in the timeline"],
  [["↑", "↓", "PgUp", "PgDn"], "In a table: the row above, the row below, by pages"],
  [["Enter"], "In a table: open or filter the row; on a heading: sort by it"],
  [["←", "→"], "In a tree or a row with call stacks: close, open"],
  [["Ctrl C"], "In a table: copy the selected rows"],
  [["Shift ←", "Shift →"], "On the heading of a column: narrower, wider; Shift Enter fits it"],
  [["Esc"], "Close a menu, a tooltip or the full screen; in a chart or table: clear the selection"],
];

/** Open the list under a button, or close it. */
export function showKeys({ h, popup }: Context, anchor: HTMLElement): void {
  const lines = KEYS.map(([keys, what]) => [
    h(
      "dt",
      {},
      keys.map((key) => [h("kbd", {}, key), " "]),
    ),
    h("dd", {}, what),
  ]);
  const timeline = h(
    "p",
    { class: "nbp-muted" },
    "The timeline has keys of its own: ? inside of it.",
  );
  popup.toggleMenu(anchor, "Keys", h("dl", { class: "nbp-keys" }, lines), timeline);
}
