/** Stands for the browser telling widgets how wide their cell is: happy-dom lays nothing out. */

import { vi } from "vitest";

const observers = new Set<FakeObserver>();

class FakeObserver {
  constructor(readonly callback: ResizeObserverCallback) {}
  observe() {
    observers.add(this);
  }
  unobserve() {}
  disconnect() {
    observers.delete(this);
  }
}
vi.stubGlobal("ResizeObserver", FakeObserver);

/** Tell all widgets the width of their cell, CSS px. */
export function resized(width: number): void {
  for (const one of [...observers])
    one.callback([{ contentRect: { width } }] as never, one as unknown as ResizeObserver);
}
