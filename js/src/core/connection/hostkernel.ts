/**
 * Reads the kernel's state from the notebook host, and reconnects to it.
 *
 * JupyterLab and Jupyter Notebook pass their widget manager to a widget. In other hosts every state
 * is "unknown". All members are optional, since none is a public interface.
 */
import type { AnyModel } from "../anywidget";

/** `lost`: the host tries to reach its server again; `gone`: there is no kernel. */
export type KernelState = "idle" | "busy" | "restarting" | "lost" | "gone" | "unknown";

/** Whether the kernel knows this view; `attached`: it does, and the view was connected again. */
type Known = "known" | "attached" | "stranger" | "unknown";

interface HostSignal {
  connect(slot: () => void): void;
  disconnect(slot: () => void): void;
}

type SignalName = "statusChanged" | "connectionStatusChanged" | "kernelChanged";

interface Comm {
  on_msg(call: (message: unknown) => void): void;
  on_close(call: (message: unknown) => void): void;
}

/** The model of the host, which anywidget wraps. */
interface HostModel {
  comm?: Comm;
  comm_live?: boolean;
  _handle_comm_msg?(message: unknown): unknown;
  _handle_comm_closed?(message: unknown): unknown;
}

interface Manager {
  readonly kernel?: { id?: string; status?: string; connectionStatus?: string } | null;
  readonly context?: { sessionContext?: Partial<Record<SignalName, HostSignal>> };
  get_model?(id: string): Promise<HostModel>;
  _create_comm?(target: string, id: string): Promise<Comm>;
  _get_comm_info?(): Promise<Record<string, unknown>>;
}

const SIGNALS: readonly SignalName[] = [
  "statusChanged",
  "connectionStatusChanged",
  "kernelChanged",
];
const STATES: Record<string, KernelState> = {
  idle: "idle",
  busy: "busy",
  starting: "busy",
  restarting: "restarting",
  autorestarting: "restarting",
  terminating: "gone",
  dead: "gone",
};

export class HostKernel {
  constructor(private readonly model: AnyModel) {}

  /** Identifies the kernel. */
  get id(): string | undefined {
    return this.#manager?.kernel?.id;
  }

  get state(): KernelState {
    const manager = this.#manager;
    if (!manager || manager.kernel === undefined) return "unknown";
    const { kernel } = manager;
    if (kernel === null) return "gone";
    if (kernel.connectionStatus && kernel.connectionStatus !== "connected") return "lost";
    return STATES[kernel.status ?? ""] ?? "unknown";
  }

  /** Call `changed` whenever the state may have changed. */
  watch(changed: () => void, until: AbortSignal): void {
    const session = this.#manager?.context?.sessionContext;
    for (const name of SIGNALS) {
      const signal = session?.[name];
      signal?.connect(changed);
      until.addEventListener("abort", () => signal?.disconnect(changed), { once: true });
    }
  }

  /**
   * Ask the kernel whether it knows this view, and connect the view where the host did not: a view
   * that the host restored from a saved notebook has no connection, even if its kernel runs.
   *
   * The answer comes when the kernel is free.
   *
   * @param id - the id of the model in the kernel
   */
  async attach(id: string): Promise<Known> {
    const manager = this.#manager;
    if (!id || !manager?.get_model || !manager._get_comm_info) return "unknown";
    try {
      const comms = await manager._get_comm_info();
      if (!(id in comms)) return "stranger";
      const model = await manager.get_model(id);
      if (model.comm && model.comm_live !== false) return "known";
      const comm = model.comm ?? (await manager._create_comm?.("jupyter.widget", id));
      if (!comm) return "unknown";
      if (!model.comm) {
        comm.on_msg((message) => model._handle_comm_msg?.(message));
        comm.on_close((message) => model._handle_comm_closed?.(message));
        model.comm = comm;
      }
      model.comm_live = true;
      return "attached";
    } catch {
      return "unknown"; // another version of the host
    }
  }

  get #manager(): Manager | undefined {
    return (this.model as { widget_manager?: Manager }).widget_manager;
  }
}
