import { describe, expect, test, vi } from "vitest";
import { resized } from "./fakewidth";
import { type Answers, asked, CATALOG, INFO, NAMES } from "./fixtures";
import { buttonNamed, press, python, rows, start } from "./shown";

test("the operators stand in the table, with units, slots and untrusted names as text", async () => {
  const root = await start();
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  expect(rows(root)[0]?.textContent).toContain("aten::conv2d");
  expect(rows(root)[0]?.textContent).toContain("125.0");
  expect(root.querySelector("b:not([class])")).toBeNull();
  expect(rows(root)[2]?.textContent).toContain("<b>bold</b>");
  expect(root.querySelector("table[role=grid]")?.getAttribute("aria-rowcount")).toBe("5");
  const sorted = root.querySelector("th[aria-sort=descending]");
  expect(sorted?.getAttribute("data-key")).toBe("device_self_us");
  expect(sorted?.getAttribute("data-tip")).toBe("Meaning of device_self_us.");
  expect(root.textContent).toContain("6 steps · 57,504 events · 1.07 s1 warning");
});

test("a click selects, ctrl-click adds, a button makes it the filter, Esc clears", async () => {
  const root = await start();
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  rows(root)[0]?.click();
  expect(python.model.get("selection")).toEqual([{ name: NAMES[0] }]);
  rows(root)[1]?.dispatchEvent(new MouseEvent("click", { bubbles: true, ctrlKey: true }));
  expect(python.model.get("selection")).toHaveLength(2);
  await vi.waitFor(() => expect(buttonNamed(root, "Filter to 2 names")?.hidden).toBe(false));
  buttonNamed(root, "Filter to 2 names")?.click();
  expect(python.model.get("filter")).toEqual({ name: "/^(?:aten::conv2d|aten::add_)$/" });
  const filter = { name: "/^(?:aten::conv2d|aten::add_)$/" };
  expect(python.saved).toContainEqual({ filter, selection: [] });
  rows(root)[0]?.click();
  expect(python.model.get("selection")).toHaveLength(1);
  press(rows(root)[0], "Escape");
  expect(python.model.get("selection")).toEqual([]);
  await vi.waitFor(() =>
    expect(root.querySelector(".nbp-chip")?.textContent).toContain("one of 2 names"),
  );
});

test("keys move through the rows and open call stacks", async () => {
  const root = await start();
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  press(rows(root)[0], "ArrowDown");
  expect(rows(root)[1]?.tabIndex).toBe(0);
  press(rows(root)[1], "Home");
  press(rows(root)[0], "ArrowRight");
  await vi.waitFor(() =>
    expect(root.querySelector(".nbp-sub")?.textContent).toContain("train.py(43)"),
  );
  expect(root.querySelector(".nbp-sub b")?.textContent).toBe("train.py(43): <module>");
  expect(buttonNamed(root, "+ 1 frame")).toBeDefined();
  buttonNamed(root, "+ 1 frame")?.click();
  expect(root.querySelectorAll(".nbp-sub")).toHaveLength(2);
  const stack = () => root.querySelector(".nbp-sub");
  press(rows(root)[0], "ArrowDown");
  press(stack(), "ArrowLeft");
  expect(root.querySelectorAll(".nbp-sub")).toHaveLength(1);
  press(stack(), "ArrowRight");
  expect(root.querySelectorAll(".nbp-sub")).toHaveLength(2);
  press(stack(), "Home");
  press(rows(root)[0], "ArrowLeft");
  expect(root.querySelectorAll(".nbp-sub")).toHaveLength(0);
});

test("sorting and finding are Python's, and the newest wins", async () => {
  const root = await start();
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  root.querySelector<HTMLElement>("th[data-key=calls] button")?.click();
  await vi.waitFor(() =>
    expect(asked(python, "page").at(-1)?.params.sort).toEqual(["calls", "desc"]),
  );
  root.querySelector<HTMLElement>("th[data-key=calls] button")?.click();
  await vi.waitFor(() =>
    expect(asked(python, "page").at(-1)?.params.sort).toEqual(["calls", "asc"]),
  );
  const find = root.querySelector<HTMLInputElement>("[data-kind=find] input");
  if (find) find.value = "conv";
  find?.dispatchEvent(new Event("input"));
  await vi.waitFor(() => expect(asked(python, "page").at(-1)?.params.search).toBe("conv"));
});

test("a filter of Python shows, and Back and Reset undo", async () => {
  const root = await start();
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  python.model.receive({ state: { filter: { steps: [7, 9] } } });
  await vi.waitFor(() =>
    expect(root.querySelector(".nbp-chip")?.textContent).toContain("steps 7 to 9"),
  );
  await vi.waitFor(() =>
    expect(asked(python, "page").at(-1)?.params.state).toMatchObject({ filter: { steps: [7, 9] } }),
  );
  buttonNamed(root, "Reset")?.click();
  expect(python.model.get("filter")).toEqual({});
  await vi.waitFor(() => expect(buttonNamed(root, "Back")?.disabled).toBe(false));
  buttonNamed(root, "Back")?.click();
  expect(python.model.get("filter")).toEqual({ steps: [7, 9] });
  await vi.waitFor(() => expect(root.querySelector(".nbp-chip button")).not.toBeNull());
  root.querySelector<HTMLElement>(".nbp-chip button")?.click();
  expect(python.model.get("filter")).toEqual({});
});

test("another run takes its first worker and span", async () => {
  const root = await start();
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  const select = root.querySelector("select");
  if (select) select.value = "bert";
  select?.dispatchEvent(new Event("change"));
  expect(python.saved.at(-1)).toMatchObject({ run: "bert", worker: "w" });
  expect(python.model.get("span")).toBe(1);
  await vi.waitFor(() =>
    expect(asked(python, "trace").at(-1)?.params.state).toMatchObject({ run: "bert" }),
  );
});

test("groupings that the trace does not hold are off, with the reason", async () => {
  const root = await start();
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  const shape = buttonNamed(root, "Name + shape");
  expect(shape?.disabled).toBe(true);
  expect(shape?.title).toContain("record_shapes=True");
  buttonNamed(root, "Name + stack")?.click();
  expect(python.saved.at(-1)).toEqual({ group_by: "name+stack" });
});

test("tabs move with arrows and each view keeps its grouping", async () => {
  const root = await start({ group_by: "name+stack" });
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  const tabs = () => [...root.querySelectorAll<HTMLElement>("[role=tab]")];
  press(tabs()[1], "ArrowRight");
  expect(python.model.get("active")).toBe("kernels");
  expect(python.model.get("group_by")).toBe("name");
  press(tabs()[2], "ArrowLeft");
  expect(python.model.get("group_by")).toBe("name+stack");
});

test("one view alone has no tabs", async () => {
  const root = await start({ views: ["kernels"], active: "kernels" });
  await vi.waitFor(() => expect(asked(python, "page")).not.toHaveLength(0));
  expect(root.querySelector<HTMLElement>("[role=tablist]")?.hidden).toBe(true);
});

describe("states", () => {
  test("an error stands in place, and reading again asks again", async () => {
    let broken = true;
    const error = {
      type: "TraceFormatError",
      message: "changed while open",
      hint: "Wait.",
      details: "",
    };
    const answers: Answers = {};
    const root = await start(
      {},
      {
        ...answers,
        page: () =>
          broken
            ? { error }
            : {
                result: {
                  total: 0,
                  all: 0,
                  calls: 0,
                  slots: [],
                  maxima: {},
                  hidden: [],
                  empty: {
                    title: "No operator matches",
                    text: "",
                    actions: [{ label: "Clear it", filter: {} }],
                  },
                },
              },
      },
    );
    await vi.waitFor(() =>
      expect(root.querySelector("[role=alert]")?.textContent).toContain("changed while open"),
    );
    expect(root.querySelector("[role=alert]")?.textContent).toContain("Error: ");
    broken = false;
    buttonNamed(root, "Try again")?.click();
    await vi.waitFor(() => expect(asked(python, "page").length).toBeGreaterThan(1));
  });

  test("a directory without profiles says what was looked for", async () => {
    const catalog = {
      ...CATALOG,
      runs: [],
      skipped: [{ path: "a.txt", reason: "not a trace" }],
      source: "logs/",
    };
    const root = await start(
      { run: "", worker: "", span: 0 },
      { catalog: () => ({ result: catalog }) },
    );
    await vi.waitFor(() => expect(root.textContent).toContain("No profiles in logs/"));
    expect(root.textContent).toContain("*.pt.trace.json");
    buttonNamed(root, "Show the files")?.click();
    await vi.waitFor(() =>
      expect(root.querySelector(".nbp-details")?.textContent).toContain("a.txt"),
    );
  });

  test("a lost kernel leaves the last results and takes the controls", async () => {
    const root = await start();
    await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
    python.model.disconnect();
    await vi.waitFor(() =>
      expect(root.textContent).toContain("Disconnected ▾The last results are shown."),
    );
    expect(rows(root)).toHaveLength(3);
    expect(root.querySelector("select")?.disabled).toBe(true);
    python.model.closed = false;
    python.model.receive({ content: { v: 1, id: null } });
    await vi.waitFor(() => expect(root.querySelector("select")?.disabled).toBe(false));
    python.model.receive({ state: { filter: { name: "y" } } });
    await vi.waitFor(() =>
      expect(asked(python, "page").at(-1)?.params.state).toMatchObject({ filter: { name: "y" } }),
    );
  });

  test("a refused value is said", async () => {
    const root = await start();
    const error = { type: "TraitError", message: "span: 9 is not there", hint: "", details: "" };
    python.model.receive({ content: { v: 1, id: null, ok: false, error } });
    await vi.waitFor(() => expect(root.textContent).toContain("span: 9 is not there"));
  });

  test("warnings open on demand", async () => {
    const root = await start();
    await vi.waitFor(() => expect(buttonNamed(root, "1 warning")).toBeDefined());
    buttonNamed(root, "1 warning")?.click();
    await vi.waitFor(() =>
      expect(root.querySelector(".nbp-details")?.textContent).toContain("bad escape"),
    );
  });

  test("the list of warnings closes with Escape, and the focus stays where it opened", async () => {
    const root = await start();
    await vi.waitFor(() => expect(buttonNamed(root, "1 warning")).toBeDefined());
    const more = buttonNamed(root, "1 warning");
    const details = root.querySelector<HTMLElement>(".nbp-details");
    more?.focus();
    more?.click();
    await vi.waitFor(() => expect(details?.textContent).toContain("bad escape"));
    expect((root.getRootNode() as ShadowRoot).activeElement).toBe(more);
    for (const close of [
      () => press(details, "Escape"),
      () => buttonNamed(root, "Close")?.click(),
    ]) {
      if (details?.hidden) more?.click();
      await vi.waitFor(() => expect(more?.getAttribute("aria-expanded")).toBe("true"));
      close();
      await vi.waitFor(() => expect(details?.hidden).toBe(true));
      expect((root.getRootNode() as ShadowRoot).activeElement).toBe(more);
    }
  });
});

test("Escape folds the filter of a narrow cell, from the button and from inside", async () => {
  const root = await start({}, {}, 420);
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  const fold = [...root.querySelectorAll("button")].find((one) =>
    one.textContent?.startsWith("Filters"),
  );
  const filter = root.querySelector<HTMLElement>("[role=search]");
  for (const inside of [fold, filter]) {
    fold?.click();
    await vi.waitFor(() => expect(filter?.hidden).toBe(false));
    press(inside, "Escape");
    await vi.waitFor(() => expect(filter?.hidden).toBe(true));
    expect((root.getRootNode() as ShadowRoot).activeElement).toBe(fold);
  }
});

test("a narrow cell has selects for tabs and folds the filter", async () => {
  const root = await start({}, {}, 420);
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  expect(root.dataset.width).toBe("narrow");
  expect(root.querySelector<HTMLElement>("[role=tablist]")?.hidden).toBe(true);
  const filter = root.querySelector<HTMLElement>("[role=search]");
  expect(filter?.hidden).toBe(true);
  buttonNamed(root, "Filters")?.click();
  await vi.waitFor(() => expect(filter?.hidden).toBe(false));
  expect(filter?.contains(buttonNamed(root, "Export") ?? null)).toBe(true);
});

test("two views of one model ask for the catalog once, and one closing leaves the other", async () => {
  const root = await start();
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  const second = document.body.appendChild(document.createElement("div"));
  const stop = python.again(second);
  resized(1000);
  const other = second.shadowRoot?.querySelector<HTMLElement>(".nbp") as HTMLElement;
  await vi.waitFor(() => expect(rows(other)).toHaveLength(3));
  expect(asked(python, "catalog")).toHaveLength(1);
  expect(asked(python, "trace")).toHaveLength(1);
  stop?.();
  expect(second.shadowRoot?.querySelector(".nbp")).toBeNull();
  python.model.receive({ state: { filter: { name: "x" } } });
  await vi.waitFor(() => expect(root.querySelector(".nbp-chip")).not.toBeNull());
});

test("a theme chosen by hand goes before the host's", async () => {
  const root = await start({ theme: "dark" });
  expect(root.dataset.theme).toBe("dark");
  expect(root.hasAttribute("data-own")).toBe(true);
  python.model.receive({ state: { theme: "auto" } });
  await vi.waitFor(() => expect(root.dataset.theme).toBe("light"));
  expect(INFO.has.stacks).toBe(true);
});

test("what is no range is marked until another takes its place", async () => {
  const root = await start();
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  const field = root.querySelector<HTMLInputElement>('input[aria-label="Time, ms, last"]');
  if (!field) throw new Error("no field for the time");
  field.value = "abc";
  field.dispatchEvent(new Event("change", { bubbles: true }));
  expect(field.getAttribute("aria-invalid")).toBe("true");
  expect(python.model.get("filter")).toEqual({});
  field.value = "90.5";
  field.dispatchEvent(new Event("change", { bubbles: true }));
  expect(python.model.get("filter")).toEqual({ time_us: [0, 90500] });
  expect(field.hasAttribute("aria-invalid")).toBe(false);
});

test("a filter says how many threads there are, also where not all are listed", async () => {
  const trace = () => ({ result: { ...INFO, of: { threads: 100_000 } } });
  const root = await start({}, { trace });
  const labels = () => [...root.querySelectorAll("option")].map((one) => one.textContent);
  await vi.waitFor(() => expect(labels()).toContain("all 100,000"));
  expect(labels()).toContain("all 1");
});
