/** A loaded machine is no failure: what will come is waited for. */
import { vi } from "vitest";

const waitFor = vi.waitFor;
vi.waitFor = (callback, options) => waitFor(callback, options ?? { timeout: 20_000 });
