/** Links in small tables: to kernels launched within names, and to a time in the timeline. */
import { expect, test } from "vitest";
import { maker } from "../../src/core/dom";
import { plainTable } from "../../src/table/plaintable";
import { readRows } from "../../src/values/arrow";
import { arrow, type Kind } from "../fixtures";

function linksOf(columns: Record<string, [Kind, never[]]>, picks: string, shows = true) {
  const traits: Record<string, unknown> = { filter: { name: "conv", devices: [0] } };
  const ctx = {
    h: maker(new AbortController().signal),
    announce: () => {},
    session: {
      get: (name: string) => traits[name],
      set: (values: object) => Object.assign(traits, values),
      viewThatShows: (what: string) => (shows ? { name: what, group_by: "by" } : undefined),
    },
  };
  const rows = readRows(new Uint8Array(arrow(columns)));
  const made = plainTable(ctx as never, "any", rows, "Any", picks);
  return { traits, links: [...made.querySelectorAll<HTMLElement>("button")] };
}

test("a name leads to its kernels, and a family to those of all its names", () => {
  const names = ["step 1", "decode[…] (b…)"];
  const { traits, links } = linksOf({ name: ["text", names as never[]] }, "within");
  links[0]?.click();
  expect(traits).toMatchObject({ active: "launched", filter: { devices: [0], within: "=step 1" } });
  links[1]?.click();
  const { within } = traits.filter as { within: string };
  const pattern = new RegExp(within.slice(1, -1));
  expect(pattern.test("decode[pos=1] (b=4)")).toBe(true);
  expect(pattern.test("decode[pos=1] (c=4)")).toBe(false);
  expect(pattern.test("a decode[pos=1] (b=4)")).toBe(false);
});

test("a start leads to its time in the timeline, with room on both sides", () => {
  const columns: Parameters<typeof linksOf>[0] = {
    start_us: ["time", [1000, 4000] as never[]],
    duration_us: ["time", [200, 100] as never[]],
  };
  const { traits, links } = linksOf(columns, "range");
  expect(links).toHaveLength(2);
  links[0]?.click();
  expect(traits).toMatchObject({
    active: "slices",
    window: [900, 1300],
    selection: [{ start_us: 1000, end_us: 1200 }],
  });
  expect(linksOf(columns, "range", false).links).toHaveLength(0);
});
