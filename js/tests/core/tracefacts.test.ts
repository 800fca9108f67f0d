/** What the facts of a trace change around the views: the list of profiles, and the tabs. */
import { expect, test, vi } from "vitest";
import { CATALOG, INFO, show } from "../fixtures";

vi.stubGlobal(
  "ResizeObserver",
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
);
const { default: widget } = await import("../../src/index");

test("a file that cannot be read leaves the list, and the next one is shown", async () => {
  const [resnet, bert] = CATALOG.runs;
  let runs = [bert, resnet];
  const error = { type: "TraceFormatError", message: "cut off", hint: "", details: "" };
  const python = show(
    widget,
    { run: "bert", worker: "w", span: 1 },
    {
      catalog: () => ({ result: { ...CATALOG, runs } }),
      trace: ({ params }) => {
        if ((params.state as { run: string }).run !== "bert") return { result: INFO };
        runs = [resnet];
        python.model.receive({ state: { run: "resnet50", worker: "worker0" } });
        return { error };
      },
    },
  );
  const { root } = python;
  const rows = () => root.querySelectorAll("tr[aria-selected]");
  await vi.waitFor(() => expect(rows()).toHaveLength(3));
  const listed = [...root.querySelectorAll("select")].map(({ value }) => value);
  expect(listed).toContain("resnet50");
  expect(root.querySelector("option[value=bert]")).toBeNull();
  expect(root.querySelector("[role=alert]")?.textContent ?? "").not.toContain("cut off");
});

test("tabs without content are muted", async () => {
  const info = { ...INFO, has: { ...INFO.has, device: false, kernels: false } };
  const { root } = show(widget, {}, { trace: () => ({ result: info }) });
  const muted = () => [...root.querySelectorAll("[role=tab][data-empty]")];
  await vi.waitFor(() => expect(muted().map((tab) => tab.textContent)).toEqual(["Kernels"]));
});
