/** Types of the anywidget interface: the model and the hooks that a notebook host calls. */

export type Callback = (...args: never[]) => void;

export interface AnyModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
  on(name: string, callback: Callback): void;
  off(name?: string | null, callback?: Callback | null): void;
  /** Set on an exported page, which never has a Python side. */
  readonly page?: true;
}

export interface InitializeProps {
  model: AnyModel;
  /** Older hosts pass none; there only the returned function cleans up. */
  signal?: AbortSignal;
}

export interface RenderProps extends InitializeProps {
  el: HTMLElement;
}

/** Return a controller that aborts with the host's signal, if there is one, or by call. */
export function lifetime(signal?: AbortSignal): AbortController {
  const controller = new AbortController();
  if (signal?.aborted) controller.abort();
  else signal?.addEventListener("abort", () => controller.abort(), { once: true });
  return controller;
}
