/** Knows whether the kernel can be reached, why not, and how to reach it again. */
import type { AnyModel } from "../anywidget";
import type { Router } from "../protocol/router";
import { effect, type ReadonlySignal, signal, untracked } from "../state/signals";
import { HostKernel, type KernelState } from "./hostkernel";

/**
 * - `live`: Python answers, or has not been asked
 * - `busy`: it runs something else and will answer
 * - `late`: it has not answered for some seconds, and the host does not say why
 * - `lost`: the notebook tries to reach its server again
 * - `restarted`: the kernel runs, but no longer has this view
 * - `gone`: there is no kernel, as far as is known
 */
export type Reach = "live" | "busy" | "late" | "lost" | "restarted" | "gone";

/** How long an attempt to reach the kernel may take until it is reported, ms. */
const ATTEMPT = 5000;

export class Connection {
  readonly #host: HostKernel;
  readonly #kernel = signal<KernelState>("unknown");
  /** Whether the kernel has answered that it does not know this view. */
  #stranger = signal(false);
  #attempts = signal(0);
  #trying = signal(false);
  #asking = false;
  /** Whether the kernel was unreachable, or another kernel, when the host last reported its state. */
  #away = false;
  #kernelId: string | undefined;

  /** @param id - returns the id of this view in the kernel */
  constructor(
    model: AnyModel,
    private readonly router: Router,
    private readonly id: () => string,
    private readonly life: AbortSignal,
  ) {
    this.#host = new HostKernel(model);
    this.#kernel.value = this.#host.state;
    this.#kernelId = this.#host.id;
    router.kernel = () => this.#host.state;
    this.#host.watch(() => this.#hostChanged(), life);
    const dispose = effect(() => {
      const silent = router.late || !router.connected;
      if (silent && !model.page) untracked(() => void this.#diagnose());
    });
    life.addEventListener("abort", dispose, { once: true });
  }

  get reach(): Reach {
    const { connected, late } = this.router;
    const kernel = this.#kernel.value;
    if (connected && !late) return "live";
    if (this.#stranger.value || kernel === "restarting") return "restarted";
    if (kernel === "lost" || kernel === "gone") return kernel;
    if (kernel === "busy") return "busy";
    return connected ? "late" : "gone";
  }

  /** The number of failed attempts to reach the kernel by hand. */
  get attempts(): number {
    return this.#attempts.value;
  }

  /** Whether an attempt is under way. */
  get trying(): ReadonlySignal<boolean> {
    return this.#trying;
  }

  /** Try to reach Python; return whether it answered within a few seconds. */
  async retry(): Promise<boolean> {
    this.#trying.value = true;
    void this.#diagnose();
    const late = new Promise((_, reject) => setTimeout(reject, ATTEMPT));
    const reached = await Promise.race([this.#hello(), late]).then(
      () => true,
      () => false,
    );
    this.#trying.value = false;
    if (!reached) this.#attempts.value += 1;
    return reached;
  }

  /** The comm of the model was lost or restored; the host does not say which. */
  changed(): void {
    if (this.#asking) return; // restored by the current attempt
    this.#hostChanged();
    if (this.#kernel.peek() !== "lost") this.router.disconnect();
    this.#hello().catch(() => {});
  }

  /** Handle a change of the kernel's state in the host. */
  #hostChanged(): void {
    if (this.life.aborted) return;
    const { state, id } = this.#host;
    if (id !== this.#kernelId) this.#away = true; // another kernel was chosen
    this.#kernelId = id;
    this.#kernel.value = state;
    if (state === "restarting") this.#stranger.value = true;
    if (state === "restarting" || state === "gone") this.router.disconnect();
    if (state === "restarting" || state === "gone" || state === "lost") this.#away = true;
    if (!this.#away || (state !== "idle" && state !== "busy")) return;
    this.#away = false;
    this.router.resend();
    if (!this.router.connected) this.#hello().catch(() => {});
    void this.#diagnose();
  }

  /** Any reply proves that the connection works. */
  #hello(): Promise<unknown> {
    return this.router.request("hello");
  }

  /** Ask the kernel whether it has this view. */
  async #diagnose(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    const known = await this.#host.attach(this.id());
    this.#asking = false;
    if (this.life.aborted || known === "unknown") return;
    this.#stranger.value = known === "stranger";
    if (known === "stranger") {
      this.router.disconnect();
      return;
    }
    // The kernel is idle and has this view: unanswered requests were lost.
    this.router.resend();
    if (!this.router.connected) await this.#hello().catch(() => {});
  }
}
