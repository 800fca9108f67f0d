import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RequestFailed, Router, Superseded } from "../../src/core/protocol/router";
import { covers, openSavedState } from "../../src/core/saved/opening";
import { canonical, SavedState, SavedStateError } from "../../src/core/saved/savedstate";
import { Scripts } from "../../src/core/scripts/scripts";
import { floatText } from "../../src/export/csv";
import { matcher, preparePatterns } from "../../src/offline/tables/match";
import compile from "../../src/patterns/main";
import { readRows } from "../../src/values/arrow";
import { CATALOG, INFO, operators } from "../fixtures";
import { begin, end, open, python, resized, root, WIDTH } from "../timeline/harness";
import { bytes, type Entry, view } from "./savedbytes";

const NO_SCRIPTS = new Scripts(() => Promise.reject(new Error("There are no scripts.")));

const ABOUT = {
  table: "operators",
  group_by: "name",
  rows: 3,
  all: 3,
  sorts: ["device_self_us", "host_self_us"],
  keys: ["name"],
  hidden: [],
  notes: {},
  maxima: {},
  sums: { calls: 6000 },
  all_sums: { calls: 6000 },
};

const ENTRIES: Record<string, Entry> = {
  catalog: { about: CATALOG },
  trace: { about: INFO },
  "table:operators:name": { about: ABOUT, parts: [operators()] },
};

const NOBODY = { catalog: undefined } as never;

const read = (data: Uint8Array) => SavedState.read(data, readRows);

describe("the bytes of saved state", () => {
  test("what was written is read, each part aligned", async () => {
    const part = new Uint8Array([1, 2, 3]).buffer;
    const saved = read(bytes({ a: { about: [7], parts: [part, part] }, b: {} }));
    expect(saved.about("a")).toEqual([7]);
    expect([...((await saved.bytes("a", 1)) ?? [])]).toEqual([1, 2, 3]);
    expect((await saved.bytes("a", 1))?.byteOffset).toBe(0);
    expect([saved.has("b"), saved.has("toString")]).toEqual([true, false]);
    expect(await saved.bytes("b")).toBeUndefined();
  });

  test("bytes that are not saved state, are truncated or of another version are refused", () => {
    const whole = bytes(ENTRIES);
    expect(() => read(new Uint8Array(5))).toThrow(SavedStateError);
    expect(() => read(whole.slice(0, 40))).toThrow("truncated");
    expect(() => read(whole.slice(0, -20))).toThrow("truncated");
    expect(() => read(bytes({}, { version: 1 }))).toThrow("written by nbprof 0.9");
  });

  test.each([
    [{ version: undefined }, "not saved state of nbprof"],
    [{ parts: null }, "truncated"],
    [{ parts: [[0, 1]] }, "truncated"],
    [{ parts: [null] }, "truncated"],
    [{ parts: [[-8, 8, 0]] }, "truncated"],
    [{ entries: null }, "truncated"],
    [{ filter: undefined }, "truncated"],
    [{ left_out: "words" }, "truncated"],
    [{ key: 7 }, "truncated"],
  ])("a header of another kind is refused in words: %j", (head, words) => {
    expect(() => read(bytes({}, head))).toThrow(new SavedStateError(`It is ${words}.`));
  });

  test("the same params have the same text", () => {
    expect(canonical({ b: 1, a: { d: [2, { f: 1, e: 2 }], c: null } })).toBe(
      '{"a":{"c":null,"d":[2,{"e":2,"f":1}]},"b":1}',
    );
  });
});

describe("what Python does, without it", () => {
  test.each([
    [1, "1.0"],
    [-0, "-0.0"],
    [0.1, "0.1"],
    [1e-5, "1e-05"],
    [1.25e-7, "1.25e-07"],
    [0.0001, "0.0001"],
    [123456.789, "123456.789"],
    [1e16, "1e+16"],
    [1e15, "1000000000000000.0"],
    [1.5e22, "1.5e+22"],
    [-0.00012, "-0.00012"],
  ])("%d is written %s", (value, text) => {
    expect(floatText(value)).toBe(text);
  });

  test("names are matched whatever the case, or by expressions once they can be compiled", async () => {
    expect(matcher("STRASSE")("straße")).toBe(true);
    expect(() => matcher("/x/")).toThrow("needs Python");
    await preparePatterns({ tree: { search: "/x/" } }, async () => compile);
    expect(matcher("/(?P<a>x)$/")("aX")).toBe(true);
    expect(() => matcher("/(/")).toThrow("not a valid regular expression (missing closing ))");
  });
});

describe("a router without Python", () => {
  const alone = () => {
    const send = vi.fn();
    const router = new Router({ send } as never);
    router.disconnect();
    const waiting: (() => void)[] = [];
    router.answerer = {
      answer: (op, params) =>
        new Promise((resolve, reject) => {
          waiting.push(() =>
            op === "page"
              ? resolve({ result: params, buffers: [] })
              : reject(Object.assign(new Error("No."), { name: "NeedsPython" })),
          );
        }),
    };
    return { send, router, waiting };
  };

  test("is answered, newest first, and what cannot be answered says so", async () => {
    const { send, router, waiting } = alone();
    const asks = [1, 2].map((n) => router.request("page", { n }, { slot: "table" }));
    const refused = router.request("slice");
    const ends = Promise.allSettled([...asks, refused]);
    for (const answer of waiting) answer();
    const [first, second, third] = await ends;
    expect(first).toMatchObject({ reason: expect.any(Superseded) });
    expect(second).toMatchObject({ value: { result: { n: 2 } } });
    expect(third).toMatchObject({ reason: expect.any(RequestFailed) });
    expect((third as PromiseRejectedResult).reason.wire.type).toBe("NeedsPython");
    expect(send).not.toHaveBeenCalled();
  });

  test("still asks whether Python is there, and asks it again once it is", async () => {
    const { send, router } = alone();
    const asked = [router.request("hello")];
    expect(send).toHaveBeenCalledOnce();
    router.receive({ v: 1, id: 1, ok: true, result: {} });
    asked.push(router.request("page"));
    expect(send).toHaveBeenCalledTimes(2);
    for (const [{ id }] of send.mock.calls) router.receive({ v: 1, id, ok: true, result: {} });
    await Promise.all(asked);
  });
});

describe("a notebook that is opened without a kernel", () => {
  beforeEach(begin);
  afterEach(end);

  const reopen = async (traits: object = {}, data = bytes(ENTRIES)) => {
    open({ active: "operators", group_by: "name", snapshot: view(data), ...traits }, NOBODY);
    python.model.closed = true;
    python.model.disconnect();
    resized(WIDTH);
    await vi.waitFor(() => expect(root.textContent).toContain("Saved state: not connected"));
  };
  const names = () =>
    [...root.querySelectorAll(".nbp-namecell")].map((cell) => cell.textContent?.replace("▸", ""));
  const input = (label: string) =>
    [...root.querySelectorAll<HTMLInputElement>("input")].find(
      (one) =>
        one.getAttribute("aria-label") === label || one.closest("label")?.textContent === label,
    ) as HTMLInputElement;

  test("shows its tables, which can be searched and sorted", async () => {
    await reopen();
    await vi.waitFor(() => expect(names()).toHaveLength(3));
    const find = input("Find in Operators");
    expect(find.disabled).toBe(false);
    find.value = "ADD";
    find.dispatchEvent(new Event("input"));
    await vi.waitFor(() => expect(names()).toEqual(["aten::add_"]));
  });

  test("turns off what needs Python, with the reason", async () => {
    await reopen();
    await vi.waitFor(() => expect(names()).toHaveLength(3));
    const field = input("Name");
    expect(field.disabled).toBe(true);
    expect(field.closest("label")?.title).toBe("Filtering needs Python. Run the cell again.");
    const stacks = [...root.querySelectorAll("button")].find(
      (b) => b.textContent === "Name + stack",
    );
    expect(stacks?.title).toBe("This is not in the saved state. Run the cell again.");
    expect(stacks?.disabled).toBe(true);
  });

  test("says what is left out", async () => {
    await reopen();
    expect(root.textContent).not.toContain("Another thing.");
    [...root.querySelectorAll("button")]
      .find((b) => b.textContent === "Saved state: not connected ▾")
      ?.click();
    await vi.waitFor(() => expect(root.textContent).toContain("Another thing."));
  });

  test("under another filter says so, and shows the one that there is", async () => {
    await reopen({ filter: { name: "conv" } });
    await vi.waitFor(() => expect(root.textContent).toContain("under this filter needs Python"));
    [...root.querySelectorAll("button")]
      .find((button) => button.textContent === "Show the saved state")
      ?.click();
    await vi.waitFor(() => expect(names()).toHaveLength(3));
  });

  test("whose saved state cannot be read says what to do", async () => {
    open({ active: "operators", snapshot: view(bytes({}, { version: 9 })) }, NOBODY);
    python.model.closed = true;
    python.model.disconnect();
    await vi.waitFor(() =>
      expect(root.textContent).toContain("nbprof 0.9. If no kernel is running, run"),
    );
  });

  test("covers the filters that it was made under", async () => {
    const answers = await openSavedState(
      view(bytes(ENTRIES, { filter: { steps: [1, 2] } })),
      NO_SCRIPTS,
    );
    expect(covers(answers, { steps: [1, 2] })).toBe(true);
    expect(covers(answers, {})).toBe(false);
  });
});
