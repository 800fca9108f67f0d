import { expect, test } from "vitest";
import type { Context } from "../../src/core/context";
import { maker } from "../../src/core/dom";
import { Grid } from "../../src/table/grid/grid";

test("as many lines are drawn with a header that shows how values are spread as without it", () => {
  const { signal } = new AbortController();
  const h = maker(signal);
  const nothing = () => {};
  const source = {
    cells: () => [h("td") as HTMLTableCellElement],
    childCells: () => [],
    isSelected: () => false,
    seen: nothing,
  };
  const events = {
    sort: nothing,
    select: nothing,
    activate: nothing,
    open: nothing,
    close: nothing,
    copy: nothing,
    clear: nothing,
  };
  const grid = new Grid({ h, signal } as Context, "Kernels", source, events);
  const drawn = () => grid.el.querySelectorAll("tr[data-line]").length;
  grid.setRows(1000);
  expect(drawn()).toBe(27); // 20 and a half, and six below them
  grid.setBelow(h("tr"));
  grid.setRows(1000);
  expect(drawn()).toBe(27);
});
