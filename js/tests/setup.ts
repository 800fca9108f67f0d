/** A loaded machine is no failure: what will come is waited for. */
import { vi } from "vitest";

const waitFor = vi.waitFor;
vi.waitFor = (callback, options) => waitFor(callback, options ?? { timeout: 20_000 });

/** happy-dom throws here where the element with the focus has left the page; browsers do not. */
const asked = Object.getOwnPropertyDescriptor(ShadowRoot.prototype, "activeElement");
Object.defineProperty(ShadowRoot.prototype, "activeElement", {
  configurable: true,
  get(this: ShadowRoot) {
    try {
      return asked?.get?.call(this) ?? null;
    } catch {
      return null;
    }
  },
});
