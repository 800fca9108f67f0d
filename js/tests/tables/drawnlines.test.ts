import { expect, test } from "vitest";
import { maker } from "../../src/core/dom";
import { DrawnLines } from "../../src/table/grid/drawnlines";

test("scrolling touches no line that stays in the document", async () => {
  const h = maker(new AbortController().signal);
  const body = h("tbody");
  const made: number[] = [];
  const line = (at: number) => {
    made.push(at);
    return h("tr", { "data-line": at });
  };
  const lines = () =>
    [...body.children].map((row) =>
      row.className ? row.getAttribute("style") : Number(row.getAttribute("data-line")),
    );
  const drawn = new DrawnLines(h, body, 26);
  drawn.draw([0, 4], 10, line);
  expect(lines()).toEqual([0, 1, 2, 3, "--height:156px"]);
  const moved: Node[] = [];
  const observer = new MutationObserver((changes) => {
    for (const { addedNodes, removedNodes } of changes) moved.push(...addedNodes, ...removedNodes);
  });
  observer.observe(body, { childList: true });
  const [, , third, fourth] = body.children;
  drawn.move([2, 4], 10, line);
  expect(lines()).toEqual(["--height:52px", 2, 3, 4, 5, "--height:104px"]);
  drawn.move([1, 4], 10, line);
  expect(lines()).toEqual(["--height:26px", 1, 2, 3, 4, "--height:130px"]);
  expect(made).toEqual([0, 1, 2, 3, 4, 5, 1]);
  await Promise.resolve();
  expect(moved.length).toBeGreaterThan(0);
  expect(moved).not.toContain(third);
  expect(moved).not.toContain(fourth);
  drawn.draw([1, 4], 10, line); // the rows have changed
  expect(body.contains(third as Node)).toBe(false);
});

test("lines that had to wait are drawn once they come, and the others are not touched", () => {
  const h = maker(new AbortController().signal);
  const body = h("tbody");
  let received = 2;
  const line = (at: number) =>
    h(
      "tr",
      {},
      at < received ? h("td", {}, `${at}`) : h("td", {}, h("span", { class: "nbp-wait" })),
    );
  const drawn = new DrawnLines(h, body, 26);
  drawn.draw([0, 4], 4, line);
  const [first] = body.children;
  received = 4;
  drawn.move([0, 4], 4, line);
  expect([...body.children].map((row) => row.textContent)).toEqual(["0", "1", "2", "3"]);
  expect(body.children[0]).toBe(first);
});
