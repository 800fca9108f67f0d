/** Types of host.js, for the tests. */
export interface HostMessage {
  state?: Record<string, unknown>;
  content?: unknown;
  buffers?: ArrayBuffer[];
}

export class Model {
  constructor(
    state: Record<string, unknown>,
    answer: (message: never) => Promise<HostMessage[] | undefined>,
  );
  closed?: boolean;
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(content: unknown): void;
  on(name: string, callback: (...args: never[]) => void): void;
  off(name?: string | null, callback?: ((...args: never[]) => void) | null): void;
  trigger(name: string, ...args: unknown[]): void;
  receive(message: HostMessage): void;
  disconnect(): void;
}

export function open(
  widget: unknown,
  model: Model,
): { view(el: HTMLElement): (() => void) | undefined; close(): void };
