import { expect, test, vi } from "vitest";
import type { Request } from "../../src/core/protocol/protocol";
import { NAMES, operators } from "../fixtures";
import { buttonNamed, press, python, rows, start } from "../shown";

test("a click on rows of the grouping before selects by what all tables have", async () => {
  const keys = ["name", "host_self_us"];
  const page = (request: Request) => {
    if (request.params.group_by !== "name+shape") return undefined; // never arrives
    const maxima = { device_self_us: 125_000, host_self_us: 900 };
    const counts = { total: 3, calls: 6000, all: 3, slots: [0, 1, 2] };
    return { result: { ...counts, maxima, hidden: [], keys }, buffers: [operators()] };
  };
  const root = await start({ group_by: "name+shape" }, { page });
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  rows(root)[1]?.click();
  expect(python.model.get("selection")).toEqual([
    expect.objectContaining({ host_self_us: expect.anything() }),
  ]);
  buttonNamed(root, "Name")?.click();
  expect(python.model.get("group_by")).toBe("name");
  rows(root)[1]?.click();
  expect(python.model.get("selection")).toEqual([{ name: NAMES[1] }]);
});

test("Enter, or a double click, shows the kernels that a row launched", async () => {
  const filter = { name: "aten", kinds: ["operator"], steps: [3, 4] };
  const root = await start({ filter, active: "operators" });
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  expect(root.querySelector(".nbp-keys")?.textContent).toContain("Enter show its kernels");
  press(rows(root)[0], "Enter");
  // How the row was found says nothing of kernels; when it ran does.
  expect(python.model.get("filter")).toEqual({ within: `=${NAMES[0]}`, steps: [3, 4] });
  expect(python.model.get("active")).toBe("kernels");
  expect(python.model.get("selection")).toEqual([]);
  const chip = () => root.querySelector<HTMLElement>(".nbp-chip[data-needs='filter:within']");
  await vi.waitFor(() => expect(chip()?.textContent).toContain(`within “${NAMES[0]}”`));
  chip()?.querySelector("button")?.click();
  expect(python.model.get("filter")).toEqual({ steps: [3, 4] });
});

test("without a view of kernels Enter makes a row the filter", async () => {
  const root = await start({ views: ["operators"], active: "operators" });
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  expect(root.querySelector(".nbp-keys")?.textContent).toContain("Enter filter to it");
  press(rows(root)[0], "Enter");
  expect(python.model.get("filter")).toEqual({ name: "/^aten::conv2d$/" });
});
