/** The timeline of a trace: lanes of slices, and what stands around them. */
import type { Context, ExportEntry, Panel } from "../../core/context";
import { fill } from "../../core/dom";
import { Loader } from "../../core/loader";
import type { TraceInfo } from "../../core/protocol";
import type { Reply } from "../../core/rpc";
import { emptyState, link } from "../../parts/states";
import { plainExports } from "../../table/exports";
import { decodeMinimap } from "./data/decode";
import type { Layout } from "./data/messages";
import { snapshotOf } from "./data/snapshot";
import { Foot, Help, SlicePane, Tip, Toolbar } from "./panes";
import { Stage } from "./stage/stage";
import { Controller, scopeOf } from "./state/controller";

const ALONE = "No kernel, so this is the snapshot that came with the notebook.";
const ON_PAGE = "This is what the page holds of the timeline.";
const LAST = "No kernel, so only what was read before can be seen.";

export class TimelinePanel implements Panel {
  readonly el: HTMLElement;
  #timeline: Controller;
  #stage: Stage;
  #panes: { update(): void }[];
  #loader: Loader;
  #error: HTMLElement;
  #none: HTMLElement;
  #empty: HTMLElement;
  #connected = true;
  #said: Error | null = null;

  constructor(private readonly ctx: Context) {
    const { h } = ctx;
    const timeline = new Controller(ctx);
    this.#timeline = timeline;
    const toolbar = new Toolbar(ctx, timeline);
    this.#stage = new Stage(ctx, timeline, () => toolbar.focusSearch());
    const pane = new SlicePane(ctx, timeline);
    const foot = new Foot(ctx, timeline);
    const tip = new Tip(ctx, timeline);
    const help = new Help(ctx, timeline);
    this.#panes = [toolbar, pane, foot, tip, help];
    this.#error = h("div", { class: "nbp-tl-error", role: "alert", hidden: true });
    this.#empty = h("div", {});
    const content = h(
      "div",
      { class: "nbp-tl" },
      this.#empty,
      toolbar.el,
      this.#error,
      this.#stage.el,
      pane.el,
      foot.el,
      tip.el,
      help.el,
    );
    this.#loader = new Loader(ctx, "timeline", "the timeline", content);
    const { again } = ctx.session;
    this.#none = h("div", { hidden: true }, emptyState(h, "The timeline is left out", again));
    this.el = h("div", { class: "nbp-body" }, this.#none, this.#loader.el);
    timeline.subscribe(() => this.#follow());
  }

  setInfo(_info: TraceInfo): void {}

  update(): void {
    if (this.ctx.room() === 0) return;
    const { session } = this.ctx;
    const { connected } = session.router;
    if (connected && !this.#connected) this.#timeline.retry();
    this.#connected = connected;
    if (connected) this.#ask();
    this.#useSnapshot();
    this.#timeline.update();
    this.#stage.update();
    this.#follow();
  }

  exports(): ExportEntry[] {
    return plainExports(this.ctx, "slices", "slices");
  }

  #ask(): void {
    const { session } = this.ctx;
    const group_by = session.get("group_by") || "thread";
    const trace = session.traceKey;
    this.#loader.need(
      JSON.stringify([trace, group_by]),
      "",
      (options) => this.#timeline.questions.layout(group_by, options),
      (reply) => this.#show(reply, trace),
    );
  }

  #show({ result, buffers }: Reply<Layout>, trace: string): void {
    const [bytes] = buffers;
    const { h } = this.ctx;
    fill(this.#empty, result.empty ? emptyState(h, "Nothing to draw", result.empty) : null);
    this.#timeline.setLayout(result, bytes?.length ? decodeMinimap(result, bytes) : null, trace);
    this.#stage.update();
  }

  /** Draw what came with the notebook until Python has answered, and where it does not. */
  #useSnapshot(): void {
    const { session } = this.ctx;
    const { connected } = session.router;
    const found = snapshotOf(session);
    const snapshot = found?.traceKey === session.traceKey ? found : null;
    if (snapshot) {
      const { layout } = snapshot.about;
      this.#timeline.store.setSnapshot(snapshot.level, scopeOf(snapshot.traceKey, layout));
      const grouped = (session.get("group_by") || "thread") === layout.group_by;
      if (!this.#timeline.state.layout && (grouped || !connected)) {
        this.#timeline.setLayout(layout, snapshot.minimap, snapshot.traceKey);
        this.#loader.present();
      }
    }
    const alone = session.model.page ? ON_PAGE : ALONE;
    const left = snapshot ? `${alone} ${snapshot.about.left_out}`.trim() : LAST;
    this.#none.hidden = connected || !session.kept || this.#timeline.state.layout !== null;
    this.#timeline.setLeftOut(connected || !this.#timeline.state.layout ? "" : left);
  }

  /** Bring what stands around the canvas up to date. */
  #follow(): void {
    for (const pane of this.#panes) pane.update();
    const { error } = this.#timeline.store;
    const wrong = error ?? this.#timeline.state.findError ?? null;
    const said = this.ctx.session.router.connected ? wrong : null;
    if (said === this.#said) return;
    this.#said = said;
    this.#error.hidden = said === null;
    const { h } = this.ctx;
    const again = error && link(h, "Read again", () => this.#timeline.retry());
    const words = h("span", { class: "nbp-error" }, "Error: ");
    fill(this.#error, said ? [words, said.message, " ", again] : null);
  }
}
