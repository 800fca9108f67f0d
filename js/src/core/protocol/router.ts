/**
 * Sends requests to Python as custom messages and matches replies to them.
 *
 * A slot has one request in flight and at most one waiting, the newest. Python answers messages one
 * after the other, so an outdated request would only delay the newer one.
 */
import type { AnyModel } from "../anywidget";
import type { KernelState } from "../connection/hostkernel";
import { signal } from "../state/signals";
import {
  type Answer,
  type Op,
  type Progress,
  type Request,
  TIMEOUTS,
  UNHURRIED,
  VERSION,
  type WireError,
} from "./protocol";

export interface Reply<T> {
  result: T;
  buffers: Uint8Array[];
}

/** Answers requests while Python cannot; see `Answers` in `offline/answerer.ts`. */
interface Answerer {
  answer(op: Op, params: Record<string, unknown>): Promise<Reply<Record<string, unknown>>>;
}

/** Time without a reply after which the host is asked about the kernel, ms. */
const LATE = 4000;

/** Operations that are always sent to Python, because they also test the connection. */
const ASKED_ANYWAY: readonly Op[] = ["hello", "refresh"];

export interface Options {
  /** A request replaces a waiting one of the same slot; without a slot nothing is replaced. */
  slot?: string;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

/** Python refused the request or did not reply. */
export class RequestFailed extends Error {
  constructor(readonly wire: WireError) {
    super(wire.message);
    this.name = wire.type;
  }
}

/** The words of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A newer request of the slot replaced this one, or the view was removed. */
export class Superseded extends Error {}

interface Entry {
  message: Request;
  options: Options;
  resolve: (reply: Reply<unknown>) => void;
  reject: (error: Error) => void;
  timer?: ReturnType<typeof setTimeout>;
  /** The place among all messages sent; Python answers in this order. */
  sent: number;
  /** Whether it was sent again, because its reply seems lost. */
  again: boolean;
}

export class Router {
  /** Answers requests while the kernel cannot be reached. */
  answerer: Answerer | null = null;
  /** Called with errors that belong to no request, such as a value that Python rejected. */
  onNotice: (error: WireError) => void = () => {};
  /** The host's information about the kernel. */
  kernel: () => KernelState = () => "unknown";

  /** Called when Python has looked for files again. */
  onRefreshed: () => void = () => {};

  /** Starts at random: a host may create several routers for one model, and ids must be unique. */
  #ids = Math.floor(Math.random() * 2 ** 40);
  #connected = signal(true);
  #heard = signal(false);
  #late = signal(false);
  #sent = 0;
  #gens = new Map<string, number>();
  #pending = new Map<number, Entry>();
  #inFlight = new Map<string, Entry>();
  #waiting = new Map<string, Entry>();

  constructor(
    private readonly model: AnyModel,
    private readonly timeouts: Record<Op, number> = TIMEOUTS,
  ) {}

  /** Whether the kernel of this model can be reached, as far as is known. */
  get connected(): boolean {
    return this.#connected.value;
  }

  /** Whether any message from Python has reached this page. */
  get heard(): boolean {
    return this.#heard.value;
  }

  /** Whether Python has not answered a request for some seconds. */
  get late(): boolean {
    return this.#late.value;
  }

  /** Whether a request waits for its reply. */
  get busy(): boolean {
    return this.#pending.size > 0;
  }

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
        sent: 0,
        again: false,
      };
      options.signal?.addEventListener("abort", () => this.#abandon(entry), { once: true });
      if (slot === undefined) return this.#send(entry);
      this.#gens.set(slot, gen);
      if (!this.#inFlight.has(slot)) return this.#send(entry);
      this.#waiting.get(slot)?.reject(new Superseded());
      this.#waiting.set(slot, entry);
      // Python still answers the request in flight, but its reply is dropped.
      this.#inFlight.get(slot)?.reject(new Superseded());
    });
  }

  /** Handle a custom message of the model. */
  receive(content: unknown, buffers: readonly (DataView | ArrayBuffer)[] = []): void {
    const answer = content as Partial<Answer> | null;
    if (answer === null || typeof answer !== "object" || answer.v !== VERSION) return;
    this.#heard.value = true;
    this.#connected.value = true;
    this.#late.value = false;
    if (typeof answer.id !== "number") {
      if (answer.error) this.onNotice(answer.error);
      else if (answer.op === "refresh") this.onRefreshed();
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
    for (const other of this.#pending.values())
      if (other.sent < entry.sent && !other.again) this.#post(other); // its reply was lost
    if (this.#isStale(entry)) entry.reject(new Superseded());
    else if (answer.ok) entry.resolve({ result: answer.result ?? {}, buffers: buffers.map(bytes) });
    else entry.reject(new RequestFailed(answer.error ?? unknownError()));
  }

  /** Answer from saved state until Python replies; pending requests stay open. */
  standIn(): void {
    this.#connected.value = false;
  }

  /** Repeat unanswered requests: messages may be lost while a connection is interrupted. */
  resend(): void {
    for (const entry of this.#pending.values()) {
      entry.sent = 0;
      this.#post(entry);
    }
  }

  /** Handle the loss of the comm: no reply will come. */
  disconnect(): void {
    this.#connected.value = false;
    this.#late.value = false;
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
    this.#post(entry);
  }

  /** Send a request, again if it was sent before: Python only reads, so twice does no harm. */
  #post(entry: Entry): void {
    entry.again = entry.sent > 0;
    entry.sent = ++this.#sent;
    this.#startClock(entry);
    try {
      this.model.send(entry.message);
    } catch {
      this.disconnect(); // a comm that is closed throws instead of sending
    }
  }

  #startClock(entry: Entry): void {
    clearTimeout(entry.timer);
    const limit = this.timeouts[entry.message.op];
    const wait = (silent: number) => {
      const next = Math.min(LATE, limit - silent);
      entry.timer = setTimeout(() => this.#isSilent(entry, silent + next, limit, wait), next);
    };
    wait(0);
  }

  /** Handle a missing reply. As long as the kernel is busy, wait. */
  #isSilent(entry: Entry, silent: number, limit: number, wait: (silent: number) => void): void {
    const kernel = this.kernel();
    if (kernel === "restarting" || kernel === "gone") {
      this.disconnect();
      return;
    }
    if (limit < UNHURRIED) this.#late.value = true;
    if (kernel === "busy" || kernel === "lost") wait(0);
    else if (kernel === "idle" && !entry.again) this.#post(entry);
    else if (silent < limit) wait(silent);
    else this.#giveUp(entry, silent);
  }

  #giveUp(entry: Entry, silent: number): void {
    this.#settle(entry);
    this.#connected.value = false;
    const message = `Python did not answer for ${Math.round(silent / 1000)} s.`;
    const hint =
      "The kernel is busy, or it was restarted. Wait and try again, or run the cell again.";
    entry.reject(new RequestFailed({ type: "TimeoutError", message, hint, details: "" }));
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

  /** Drop a request; its slot stays taken until Python replies, since Python still works on it. */
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
}

/** Bytes of a buffer; in some hosts it is a view into a larger, shared one. */
function bytes(view: DataView | ArrayBuffer): Uint8Array {
  return view instanceof ArrayBuffer
    ? new Uint8Array(view)
    : new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function unknownError(): WireError {
  return { type: "Error", message: "Python gave no reason.", hint: "Try again.", details: "" };
}
