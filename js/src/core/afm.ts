/** The part of the anywidget front-end module interface that is used here; hosts differ in the rest. */

export type Callback = (...args: never[]) => void;

export interface AnyModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
  on(name: string, callback: Callback): void;
  off(name?: string | null, callback?: Callback | null): void;
  /** It stands for a page of its own, without any notebook: there is no Python, and will be none. */
  readonly page?: true;
}

export interface InitializeProps {
  model: AnyModel;
  /** Older hosts have none; then only the returned function ends things. */
  signal?: AbortSignal;
}

export interface RenderProps extends InitializeProps {
  el: HTMLElement;
}

/** One signal that aborts with the host's, where the host has one, or by hand. */
export function lifetime(signal?: AbortSignal): AbortController {
  const controller = new AbortController();
  if (signal?.aborted) controller.abort();
  else signal?.addEventListener("abort", () => controller.abort(), { once: true });
  return controller;
}
