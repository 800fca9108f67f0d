/**
 * Requests to Python over custom messages.
 *
 * A slot has one request in flight and at most one waiting: the newest. Python answers one message
 * after the other, so an older request that nobody wants any more would only hold up the newer.
 */
import type { AnyModel } from "./afm";
import {
  type Answer,
  type Op,
  type Progress,
  type Request,
  TIMEOUTS,
  VERSION,
  type WireError,
} from "./protocol";

export interface Reply<T> {
  result: T;
  buffers: Uint8Array[];
}

/** What answers while Python does not; as `Answers` of `offline/answerer.ts`. */
export interface Answerer {
  answer(op: Op, params: Record<string, unknown>): Promise<Reply<Record<string, unknown>>>;
}

/** What only Python can answer, and is asked all the same: whether it is there. */
const ASKED_ANYWAY: readonly Op[] = ["hello", "refresh"];

export interface Options {
  /** Requests of one slot replace each other; without a slot none is replaced. */
  slot?: string;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

/** Python said no, or nothing at all. */
export class RequestFailed extends Error {
  constructor(readonly wire: WireError) {
    super(wire.message);
    this.name = wire.type;
  }
}

/** A newer request of the same slot came, or the view went away; nobody waits for the answer. */
export class Superseded extends Error {}

interface Entry {
  message: Request;
  options: Options;
  resolve: (reply: Reply<unknown>) => void;
  reject: (error: Error) => void;
  timer?: ReturnType<typeof setTimeout>;
}

export class Router {
  /** Whether the kernel that this model belongs to can be reached, as far as is known. */
  connected = true;
  /** Whether Python has ever said a word to this page. */
  heard = false;
  /** Answers while the kernel cannot be reached. */
  answerer: Answerer | null = null;
  /** Called when `connected` changes. */
  onConnection: (connected: boolean) => void = () => {};
  /** Called with errors that nobody asked for, such as a value that Python refused. */
  onNotice: (error: WireError) => void = () => {};

  /** Where a host makes several routers for one model, no two shall use one id. */
  #ids = Math.floor(Math.random() * 2 ** 40);
  #gens = new Map<string, number>();
  #pending = new Map<number, Entry>();
  #inFlight = new Map<string, Entry>();
  #waiting = new Map<string, Entry>();

  constructor(
    private readonly model: AnyModel,
    private readonly timeouts: Record<Op, number> = TIMEOUTS,
  ) {}

  request<T>(op: Op, params: Record<string, unknown> = {}, options: Options = {}) {
    return new Promise<Reply<T>>((resolve, reject) => {
      if (options.signal?.aborted) return reject(new Superseded());
      if (!this.connected && this.answerer && !ASKED_ANYWAY.includes(op)) {
        this.#answerAlone<T>(this.answerer, op, params, options).then(resolve, reject);
        return;
      }
      const { slot } = options;
      const gen = slot === undefined ? 0 : (this.#gens.get(slot) ?? 0) + 1;
      const entry: Entry = {
        message: { v: VERSION, id: ++this.#ids, op, gen, params },
        options,
        resolve: resolve as (reply: Reply<unknown>) => void,
        reject,
      };
      options.signal?.addEventListener("abort", () => this.#abandon(entry), { once: true });
      if (slot === undefined) return this.#send(entry);
      this.#gens.set(slot, gen);
      if (!this.#inFlight.has(slot)) return this.#send(entry);
      this.#waiting.get(slot)?.reject(new Superseded());
      this.#waiting.set(slot, entry);
      // The one in flight is answered all the same, but to nobody.
      this.#inFlight.get(slot)?.reject(new Superseded());
    });
  }

  /** Take a custom message of the model. */
  receive(content: unknown, buffers: readonly (DataView | ArrayBuffer)[] = []): void {
    const answer = content as Partial<Answer> | null;
    if (answer === null || typeof answer !== "object" || answer.v !== VERSION) return;
    this.heard = true;
    this.#setConnected(true);
    if (typeof answer.id !== "number") {
      if (answer.error) this.onNotice(answer.error);
      return;
    }
    const entry = this.#pending.get(answer.id);
    if (!entry) return;
    if (answer.progress) {
      this.#startClock(entry);
      if (!this.#isStale(entry)) entry.options.onProgress?.(answer.progress);
      return;
    }
    this.#settle(entry);
    if (this.#isStale(entry)) entry.reject(new Superseded());
    else if (answer.ok) entry.resolve({ result: answer.result ?? {}, buffers: buffers.map(bytes) });
    else entry.reject(new RequestFailed(answer.error ?? unknownError()));
  }

  /** The comm is gone: nothing will be answered any more. */
  disconnect(): void {
    this.#setConnected(false);
    const error = new RequestFailed({
      type: "Disconnected",
      message: "The kernel restarted or stopped.",
      hint: "Run the cell again.",
      details: "",
    });
    for (const entry of [...this.#pending.values(), ...this.#waiting.values()]) {
      clearTimeout(entry.timer);
      entry.reject(error);
    }
    this.#pending.clear();
    this.#waiting.clear();
    this.#inFlight.clear();
  }

  async #answerAlone<T>(
    answerer: Answerer,
    op: Op,
    params: Record<string, unknown>,
    { slot, signal }: Options,
  ): Promise<Reply<T>> {
    const gen = slot === undefined ? 0 : (this.#gens.get(slot) ?? 0) + 1;
    if (slot !== undefined) this.#gens.set(slot, gen);
    const isStale = () =>
      signal?.aborted === true || (slot !== undefined && this.#gens.get(slot) !== gen);
    try {
      const reply = await answerer.answer(op, params);
      if (isStale()) throw new Superseded();
      return reply as Reply<unknown> as Reply<T>;
    } catch (error) {
      if (error instanceof Superseded || isStale()) throw new Superseded();
      const { name, message, hint = "" } = error as Error & { hint?: string };
      throw new RequestFailed({ type: name, message, hint, details: "" });
    }
  }

  #send(entry: Entry): void {
    const { message, options } = entry;
    this.#pending.set(message.id, entry);
    if (options.slot !== undefined) this.#inFlight.set(options.slot, entry);
    this.#startClock(entry);
    try {
      this.model.send(message);
    } catch {
      this.disconnect(); // a comm that is closed throws instead of sending
    }
  }

  #startClock(entry: Entry): void {
    clearTimeout(entry.timer);
    const limit = this.timeouts[entry.message.op];
    entry.timer = setTimeout(() => {
      this.#settle(entry);
      this.#setConnected(false);
      entry.reject(
        new RequestFailed({
          type: "TimeoutError",
          message: `Python did not answer for ${Math.round(limit / 1000)} s.`,
          hint: "The kernel is busy, or it was restarted. Wait and read again, or run the cell again.",
          details: "",
        }),
      );
    }, limit);
  }

  #settle(entry: Entry): void {
    clearTimeout(entry.timer);
    this.#pending.delete(entry.message.id);
    const { slot } = entry.options;
    if (slot === undefined || this.#inFlight.get(slot) !== entry) return;
    this.#inFlight.delete(slot);
    const next = this.#waiting.get(slot);
    if (!next) return;
    this.#waiting.delete(slot);
    this.#send(next);
  }

  /** Stop caring; the slot stays taken until Python has answered, as it works on it anyway. */
  #abandon(entry: Entry): void {
    const { slot } = entry.options;
    if (slot !== undefined && this.#waiting.get(slot) === entry) this.#waiting.delete(slot);
    entry.reject(new Superseded());
  }

  #isStale(entry: Entry): boolean {
    const { slot, signal } = entry.options;
    return (
      signal?.aborted === true || (slot !== undefined && this.#gens.get(slot) !== entry.message.gen)
    );
  }

  #setConnected(connected: boolean): void {
    if (this.connected === connected) return;
    this.connected = connected;
    this.onConnection(connected);
  }
}

/** Hosts differ: a view may start anywhere in a shared buffer. */
function bytes(view: DataView | ArrayBuffer): Uint8Array {
  return view instanceof ArrayBuffer
    ? new Uint8Array(view)
    : new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function unknownError(): WireError {
  return { type: "Error", message: "Python gave no reason.", hint: "Read again.", details: "" };
}
