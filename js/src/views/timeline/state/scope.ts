/** Names the scope in which row and slice numbers are valid, and finds the worker of a slice or lane. */
import type { Layout, ShownWorker, Step } from "../data/messages";

/** The key of the reason why the baseline cannot be shown. */
export const BASELINE = "baseline";

/** The trace, workers and layout within which row and slice numbers are valid, as a text. */
export function scopeOf(trace: string, layout: Layout): string {
  const workers = layout.workers?.map(({ worker, shift_ns }) => `${worker} ${shift_ns}`).join();
  const baseline = layout.compared && JSON.stringify(layout.compared.baseline);
  return [trace, layout.group_by, workers, baseline].filter(Boolean).join(" ");
}

/** The worker of a slice, where several are shown. */
export function workerOfSlice({ workers = [] }: Layout, slice: number): ShownWorker | undefined {
  return workers.filter(({ first_slice }) => slice >= first_slice).at(-1);
}

/** The worker of a lane, curve or group, by its key, where several are shown. */
export function workerOfKey({ workers = [] }: Layout, key: string): ShownWorker | undefined {
  return workers.find(({ suffix }) => suffix && key.endsWith(suffix)) ?? workers[0];
}

/** The steps of the worker of a lane, curve or group. */
export function stepsOf(layout: Layout, key: string): readonly Step[] {
  return workerOfKey(layout, key)?.steps ?? layout.steps;
}
