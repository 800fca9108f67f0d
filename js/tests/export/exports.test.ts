import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { nameOf } from "../../src/export/files";
import { codeOf, text } from "../../src/export/python";
import { rangeOf, rangeWords } from "../../src/export/range";
import { escaped } from "../../src/export/tables";
import type { Query } from "../../src/table/pagestore";

const HOSTILE = [
  "plain",
  `it's "quoted" \\ and \\n`,
  "two\nlines\r\tand\0nothing",
  `"); import os; os.system("touch /tmp/hit"); ("`,
  "'''",
  '"""',
  "\u202egnitide\u2066 \u2028 \ufeff",
  "{x} %s $HOME \\N{BULLET} \\x41",
  "名前 🜚 \u007f\u0085",
];

const CODE = { load: "nbprof.load('logs')", single_trace: false, of_profiles: ["distributed_ops"] };
const STATE = { run: "r", worker: "w", span: 2, filter: {}, step: "" };

function code(
  query: Partial<Query>,
  sort: Query["sort"] = null,
  columns: [string, boolean][] = [],
) {
  const whole = {
    state: STATE,
    table: "operators",
    group_by: "",
    sort: null,
    search: "",
    ...query,
  };
  return codeOf(CODE, whole, sort, new Map(columns));
}

/** What Python reads from expressions. */
function read(expressions: readonly string[]): unknown[] {
  const program =
    "import ast, json, sys; print(json.dumps([ast.literal_eval(e) for e in json.load(sys.stdin)]))";
  const input = JSON.stringify(expressions);
  return JSON.parse(execFileSync("python3", ["-c", program], { input, encoding: "utf8" }));
}

describe("code for a notebook", () => {
  test("hostile texts are read back by Python as they were, and cannot reverse the line", () => {
    const written = HOSTILE.map(text);
    expect(read(written)).toEqual(HOSTILE);
    for (const one of written) expect(one).not.toMatch(/[\n\r\u2028\u202a-\u202e\u2066-\u2069]/);
  });

  test("names trace, filter, grouping and order", () => {
    const filter = { steps: [3, 4], time_us: [0.5, 1e21], kinds: ["operator"], name: `a"b` };
    const state = { ...STATE, filter, step: "iteration" } as Query["state"];
    const lines = code({ state, group_by: "name+shape" }, ["calls", "desc"], [["calls", false]]);
    expect(lines.split("\n")).toEqual([
      "import nbprof",
      "",
      `profile = nbprof.load('logs').with_step("iteration")`,
      `trace = profile.trace(run="r", worker="w", span=2)`,
      `operators = trace.filter(steps=(3, 4), time_us=(0.5, 1e+21), kinds=["operator"], name="a\\"b")` +
        `.operators(group_by="name+shape").to_pandas()`,
      `operators = operators.sort_values("calls", ascending=False, kind="stable", ignore_index=True)`,
      "operators",
      "",
    ]);
  });

  test("conditions of a search compare columns", () => {
    const conditions: [string, string, string | number | boolean][] = [
      ["queue_us", ">=", 100],
      ["used", "!=", true],
      ["name", "=", `a"B`],
      ["grid", ":", "/^1/"],
    ];
    const whole = { state: STATE, table: "kernels", group_by: "launch", sort: null, search: "x" };
    const lines = codeOf(CODE, whole, null, new Map(), conditions).split("\n");
    expect(lines.filter((line) => line.startsWith("kernels = kernels["))).toEqual([
      `kernels = kernels[kernels["queue_us"] >= 100]`,
      `kernels = kernels[kernels["used"] != True]`,
      `kernels = kernels[kernels["name"].str.lower() == "a\\"B".lower()]`,
      `kernels = kernels[kernels["grid"].str.contains("^1", case=False, regex=True, na=False)]`,
    ]);
  });

  test("tables of profiles are asked of the profile, own ones with odd names by name", () => {
    expect(code({ table: "distributed_ops" })).toContain(
      `distributed_ops = profile.distributed_ops(run="r", span=2).to_pandas()`,
    );
    expect(code({ table: "my table" })).toContain(`table = trace.table("my table").to_pandas()`);
  });

  test("memory is that of the device and the range that are shown", () => {
    const memory = { device: "gpu:1", range: [10, 30], sizes: [1, 5] } as const;
    const state = { ...STATE, filter: { time_us: [20, 40] } } as Query["state"];
    const columns: [string, boolean][] = [
      ["device_type", true],
      ["device", false],
      ["size_bytes", false],
    ];
    const lines = code({ table: "m", state, memory: memory as never }, null, columns);
    expect(lines).toContain(".filter(time_us=(20, 30)).m()");
    expect(lines).toContain(`m = m[m["device_type"] == "gpu"]\nm = m[m["device"] == 1]`);
    expect(lines).toContain(`m = m[m["size_bytes"].between(1, 5)]`);
    const cpu = code({ table: "m", memory: { device: "cpu", range: null } }, null, columns);
    expect(cpu).toContain(`m = m[m["device"].isna()]`);
  });
});

test("text in Markdown is neither markup nor the end of a cell", () => {
  expect(escaped("a|b *c* `d` <img> [x](y)\n| z")).toBe(
    "a\\|b \\*c\\* \\`d\\` \\<img\\> \\[x\\](y) \\| z",
  );
});

test("file names hold no path, whatever a run is called", () => {
  const session = { state: { ...STATE, run: "../../etc/passwd\0", worker: "C:\\x" } };
  expect(nameOf({ session } as never, "Time / by <b>")).toBe("etc_passwd-C_x-Time_by_b");
});

test("the selected range leaves as a trace, else the window, else the filter, else everything", () => {
  const traits: Record<string, unknown> = {};
  const session = { get: (name: string) => traits[name] } as never;
  expect([rangeOf(session), rangeWords(session)]).toEqual([null, "Whole trace"]);
  traits.filter = { time_us: [1000, 2500] };
  expect(rangeWords(session)).toBe("Filter 1 to 2.5 ms");
  traits.window = [0, 3000];
  expect(rangeWords(session)).toBe("Window 0 to 3 ms");
  traits.selection = [{ name: "aten::add" }];
  expect(rangeOf(session)).toEqual([0, 3000]);
  traits.selection = [{ lane: "gpu:0:7", start_us: 10, end_us: 20 }];
  expect([rangeOf(session), rangeWords(session)]).toEqual([[10, 20], "Range 0.01 to 0.02 ms"]);
});
