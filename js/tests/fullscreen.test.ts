/** The full screen: the browser's where it allows it, else the window. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fullScreenOf } from "../src/core/fullscreen";
import { type Stage, stage } from "./timeline/panes/stage";

let on: Stage;
beforeEach(() => {
  on = stage();
});
afterEach(() => on.close());

test("where the browser refuses, the widget fills the window until Escape", async () => {
  const { root } = on.ctx;
  root.requestFullscreen = vi.fn(() => Promise.reject(new TypeError("not allowed")));
  const full = fullScreenOf(on.ctx);
  full.toggle("view");
  expect(full.shown.value).toBe("view");
  await vi.waitFor(() => expect(root.hasAttribute("data-fills")).toBe(true));
  expect(root.dataset.full).toBe("view");
  full.toggle("all");
  expect(root.dataset.full).toBe("all");
  document.dispatchEvent(new Event("fullscreenchange"));
  expect(full.shown.value).toBe("all");
  root.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
  expect(full.shown.value).toBeNull();
  expect([root.hasAttribute("data-full"), root.hasAttribute("data-fills")]).toEqual([false, false]);
});

test("where the browser allows it, leaving is noticed", async () => {
  const { root } = on.ctx;
  let element: Element | null = null;
  Object.defineProperty(document, "fullscreenElement", { get: () => element, configurable: true });
  root.requestFullscreen = vi.fn(async () => {
    element = root;
  });
  const full = fullScreenOf(on.ctx);
  full.toggle("all");
  await vi.waitFor(() => expect(element).toBe(root));
  document.dispatchEvent(new Event("fullscreenchange"));
  expect(full.shown.value).toBe("all");
  expect(root.hasAttribute("data-fills")).toBe(false);
  element = null;
  document.dispatchEvent(new Event("fullscreenchange"));
  expect(full.shown.value).toBeNull();
  Reflect.deleteProperty(document, "fullscreenElement");
});
