import { describe, expect, test, vi } from "vitest";
import { maker, renew } from "../src/core/dom";
import { FilterHistory } from "../src/core/state/filterhistory";
import { sameKey, toggled } from "../src/core/state/selecting";
import { hostTheme, watchHostTheme } from "../src/core/theme";
import { safeCell, toTsv } from "../src/export/tables";
import { RangeField, readRange } from "../src/parts/rangefield";
import { columnSpecs } from "../src/table/columns";
import { cellText, familyUnits } from "../src/table/grid/cells";
import { Lines, visibleLines } from "../src/table/grid/virtuallines";
import { Rows, readRows } from "../src/values/arrow";
import { tableUnit } from "../src/values/format";
import { readEvidence, splitNumber } from "../src/views/overview/recommendations";
import { arrow, operators } from "./fixtures";

describe("Arrow", () => {
  test("values, nulls, units and meanings come through, from any offset", () => {
    const bytes = new Uint8Array(operators());
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    const rows = readRows(shifted.subarray(3));
    expect(rows.length).toBe(3);
    expect(rows.get("name", 2)).toBe("aten::<b>bold</b>");
    expect(rows.get("device_self_us", 2)).toBeNull();
    expect(rows.get("calls", 1)).toBe(2000);
    expect(rows.get("tensor_core_eligible", 0)).toBe(true);
    expect(rows.get("nothing", 0)).toBeNull();
    expect(rows.get("name", 99)).toBeNull();
    expect(rows.column("host_self_us")).toMatchObject({
      unit: "us",
      meaning: "Meaning of host_self_us.",
    });
  });

  test("what is no number is null", () => {
    expect(
      readRows(new Uint8Array(arrow({ x_us: ["time", [Number.NaN, 1]] }))).get("x_us", 0),
    ).toBeNull();
  });
});

describe("columns", () => {
  const rows = readRows(new Uint8Array(operators()));
  const specs = columnSpecs("operators", rows.columns);

  test("one table has one unit of time, and short times more decimals", () => {
    expect(specs.map((s) => s.group ?? "-")).toContain("Device time");
    const units = familyUnits(specs, rows, 14, "auto");
    expect([...units].map(([family, unit]) => [family, unit.label])).toEqual([
      ["Device time", "ms"],
      ["Host time", "ms"],
    ]);
    expect(units.get("Device time")?.decimals).toBe(1);
    expect(units.get("Host time")?.decimals).toBe(3);
    const self = specs.find((s) => s.key === "device_self_us");
    expect(self && cellText(self, 125_000, units)).toBe("125.0");
    expect(self && cellText(self, null, units)).toBe("–");
  });

  test("the largest time has room in the unit of a table", () => {
    expect(tableUnit([5, 800, 9_999_000], "auto")).toBe("us");
    expect(tableUnit([5, 800, null, -10_000_000], "auto")).toBe("ms");
    expect(tableUnit([2e3, 3e3, 999e6], "auto")).toBe("ms");
    expect(tableUnit([5, 1e9], "auto")).toBe("s");
    expect(tableUnit([2e7, 3e7], "auto")).toBe("s");
    expect(tableUnit([5, 1e9], "us")).toBe("us");
    expect(tableUnit([], "auto")).toBe("ms");
  });

  test("kernels show share and durations before what is rarer", () => {
    const names = [
      "name",
      "grid",
      "calls",
      "total_us",
      "mean_us",
      "max_us",
      "min_us",
      "pct",
      "tensor_core_used",
    ];
    const columns = names.map((name) => ({ name, unit: "", meaning: "", at: () => null }));
    const used = { name: "matrix_unit_used", unit: "", meaning: "", term: "Matrix Cores" };
    expect(columnSpecs("kernels", [{ ...used, at: () => true }])[0]).toMatchObject({
      label: "Used",
      group: "Matrix Cores",
    });
    expect(columnSpecs("kernels", columns).map((s) => s.key)).toEqual([
      "name",
      "grid",
      "tensor_core_used",
      "calls",
      "total_us",
      "pct",
      "mean_us",
      "min_us",
      "max_us",
    ]);
  });
});

describe("lines of a virtual table", () => {
  test("opened lines move what follows", () => {
    const lines = new Lines(10);
    lines.open(6, 2);
    lines.open(2, 3);
    expect(lines.length).toBe(15);
    const all = Array.from({ length: 15 }, (_, line) => lines.at(line));
    expect(all.slice(2, 7)).toEqual([
      { row: 2, child: -1 },
      { row: 2, child: 0 },
      { row: 2, child: 1 },
      { row: 2, child: 2 },
      { row: 3, child: -1 },
    ]);
    expect(all[9]).toEqual({ row: 6, child: -1 });
    expect(all[11]).toEqual({ row: 6, child: 1 });
    expect(all[14]).toEqual({ row: 9, child: -1 });
    for (let row = 0; row < 10; row += 1)
      expect(lines.at(lines.lineOf(row))).toEqual({ row, child: -1 });
    lines.close(2);
    expect(lines.length).toBe(12);
  });

  test("only what is in sight is drawn", () => {
    expect(visibleLines(0, 260, 26, 1000)).toEqual([0, 16]);
    expect(visibleLines(2600, 260, 26, 1000)).toEqual([94, 22]);
    expect(visibleLines(26_000, 260, 26, 1000)).toEqual([994, 6]);
    expect(visibleLines(0, 260, 26, 0)).toEqual([0, 0]);
  });
});

test("history goes back through what was set by whomever", () => {
  const history = new FilterHistory({});
  history.note({ name: "a" });
  history.note({ name: "a" });
  history.note({ name: "a", steps: [1, 2] });
  expect(history.back()).toEqual({ name: "a" });
  history.note({ name: "a" });
  expect(history.back()).toEqual({});
  expect(history.canGoBack).toBe(false);
  expect(history.back()).toBeNull();
});

test("ranges may leave an end open, and are put in order", () => {
  expect(readRange("", "", [5, 10])).toBeNull();
  expect(readRange("7", "", [5, 10])).toEqual([7, 10]);
  expect(readRange("", "7", [5, 10])).toEqual([5, 7]);
  expect(readRange("9", "7", null)).toEqual([7, 9]);
  expect(readRange("1,000", "2000.5", null)).toEqual([1000, 2000.5]);
  expect(readRange("x", "7", null)).toBeUndefined();
  expect(readRange("", "7", null)).toBeUndefined();
});

test("selecting: alone, added, taken away", () => {
  const [a, b] = [{ name: "a" }, { name: "b" }];
  expect(toggled([], a, false)).toEqual([a]);
  expect(toggled([a], b, false)).toEqual([b]);
  expect(toggled([a], b, true)).toEqual([a, b]);
  expect(toggled([a, b], a, true)).toEqual([b]);
  expect(toggled([a], a, false)).toEqual([]);
  expect(sameKey({ name: "a", grid: null }, { name: "a", grid: null })).toBe(true);
  expect(sameKey({ name: "a" }, { name: "a", grid: null })).toBe(false);
});

test("copied cells cannot run as formulas, and numbers keep every digit", () => {
  expect(safeCell("=1+1")).toBe("'=1+1");
  expect(safeCell("@cmd")).toBe("'@cmd");
  expect(safeCell("-x\ty")).toBe("'-x y");
  expect(safeCell("-1.5")).toBe("-1.5");
  const column = (name: string, values: (string | number | null)[]) => ({
    name,
    unit: "",
    meaning: "",
    at: (row: number) => values[row] ?? null,
  });
  const rows = new Rows(2, [column("name", ["=a", "b"]), column("x_us", [1234.56789, null])]);
  expect(toTsv([rows], ["name", "x_us"])).toBe("name\tx_us\n'=a\t1234.56789\nb\t\n");
  expect(toTsv([rows], [])).toContain("name\tx_us");
});

test("a recommendation leads with its number; evidence that is no JSON is none", () => {
  expect(splitNumber("33.4% of the step")).toEqual(["33.4 %", "of the step"]);
  expect(splitNumber("GPU 0 is idle 39.4% of it")).toEqual(["39.4 %", "GPU 0 is idle 39.4% of it"]);
  expect(splitNumber("No number")).toEqual(["", "No number"]);
  expect(readEvidence("{")).toBeNull();
  expect(readEvidence('{"value":1}')).toBeNull();
  expect(readEvidence('{"table":"steps","value":1}')).toMatchObject({ table: "steps" });
});

test("text is never markup", () => {
  const h = maker(new AbortController().signal);
  const element = h("p", { title: "<i>" }, "<img src=x onerror=alert(1)>", [null, false, 3]);
  expect(element.children).toHaveLength(0);
  expect(element.textContent).toBe("<img src=x onerror=alert(1)>3");
});

test("the theme is the host's, and followed", async () => {
  expect(hostTheme()).toBe("light");
  const changed = vi.fn();
  const stop = new AbortController();
  watchHostTheme(changed, stop.signal);
  document.body.dataset.jpThemeLight = "false";
  expect(hostTheme()).toBe("dark");
  await vi.waitFor(() => expect(changed).toHaveBeenCalled());
  delete document.body.dataset.jpThemeLight;
  document.body.className = "vscode-dark";
  expect(hostTheme()).toBe("dark");
  document.body.className = "";
  stop.abort();
});

describe("renewed children", () => {
  const { signal } = new AbortController();
  const h = maker(signal);
  const table = (time: string, click: () => void) =>
    h(
      "table",
      {},
      h("tr", { class: "nbp-total" }, h("td", {}, "Step"), h("td", {}, time)),
      h("tr", {}, h("td", {}, h.on(h("button", {}, "kernel"), { click }))),
    );

  test("stay where they are equal, and change where they differ", () => {
    const el = h("div");
    renew(
      el,
      table("1.2", () => {}),
    );
    const [row, name] = [el.querySelector("tr"), el.querySelector("td")?.firstChild];
    renew(
      el,
      table("3.4", () => {}),
    );
    expect(el.querySelector("tr")).toBe(row);
    expect(el.querySelector("td")?.firstChild).toBe(name);
    expect(el.textContent).toBe("Step3.4kernel");
    renew(el, h("p", {}, "Nothing"), null);
    expect(el.innerHTML).toBe("<p>Nothing</p>");
    renew(el);
    expect(el.childNodes.length).toBe(0);
  });

  test("have the listeners and attributes of the new ones", () => {
    const el = h("div");
    const clicks: string[] = [];
    renew(
      el,
      table("1", () => clicks.push("old")),
      h("i", { style: "width:1%" }),
    );
    renew(
      el,
      table("1", () => clicks.push("new")),
      h("i", { style: "width:2%" }),
    );
    el.querySelector("button")?.click();
    expect(clicks).toEqual(["new"]);
    expect(el.querySelector("i")?.getAttribute("style")).toBe("width:2%");
  });
});

test("a field of times has room for decimals, and keeps its width", () => {
  const make = (fraction?: number) =>
    new RangeField(maker(new AbortController().signal), "Time", "ms", () => {}, fraction);
  const field = make(4);
  field.set(null, [0, 462]);
  const before = field.width;
  field.set([12.25, 124.468], [0, 462]);
  expect(field.width).toBe(before);
  field.set(null, [0, 1462]);
  expect(field.width).toBe(before + 2 * 7);
  const whole = make();
  whole.set(null, [0, 462]);
  expect(whole.width).toBe(before - 2 * 4 * 7);
});
