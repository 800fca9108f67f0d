import { expect, test, vi } from "vitest";
import { asked, INFO } from "../fixtures";
import { python, rows, start } from "../shown";

test("labels that repeat can be chosen as the step, and every question then says so", async () => {
  const by: [string, string][] = [
    ["", "whole recording"],
    ["step[", "4 times step[…]"],
  ];
  const steps = { ...INFO.steps, recorded: false, by };
  const root = await start({}, { trace: () => ({ result: { ...INFO, steps } }) });
  const field = () =>
    [...root.querySelectorAll<HTMLLabelElement>("label")].find((label) =>
      label.textContent?.startsWith("Steps by"),
    );
  await vi.waitFor(() => expect(field()?.hidden).toBe(false));
  const select = field()?.querySelector("select") as HTMLSelectElement;
  expect([...select.options].map((option) => option.textContent)).toEqual(by.map(([, w]) => w));
  select.value = "step[";
  select.dispatchEvent(new Event("change"));
  expect(python.model.get("step")).toBe("step[");
  await vi.waitFor(() => {
    const last = asked(python, "trace").at(-1)?.params as { state: { step: string } };
    expect(last.state.step).toBe("step[");
  });
});

test("where steps are marked nothing is offered in their place", async () => {
  const root = await start();
  await vi.waitFor(() => expect(rows(root)).toHaveLength(3));
  const label = [...root.querySelectorAll("label")].find((one) =>
    one.textContent?.startsWith("Steps by"),
  );
  expect(label?.hidden).toBe(true);
});
