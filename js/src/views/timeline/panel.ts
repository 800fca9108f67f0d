/** `TimelinePanel`: creates the parts of the view, loads the layout of the lanes, and shows errors. */
import type { Context, Exportable, Panel, Part } from "../../core/context";
import { fill } from "../../core/dom";
import { Loader } from "../../core/loader";
import type { TraceInfo } from "../../core/protocol/protocol";
import type { Reply } from "../../core/protocol/router";
import { untracked } from "../../core/state/signals";
import { emptyState, link } from "../../parts/states";
import { plainExport } from "../../table/exports";
import { decodeMinimap } from "./data/decode";
import type { Layout } from "./data/messages";
import { outlineOf } from "./data/outline";
import type { Choice } from "./data/requests";
import { LaterPanes } from "./panes/laterpanes";
import { Toolbar } from "./panes/toolbar";
import type { Direction } from "./stage/hittest";
import { Keyboard } from "./stage/keys/keyboard";
import { Stage } from "./stage/stage";
import { Controller } from "./state/controller";
import { scopeOf } from "./state/scope";

const IN_NOTEBOOK = "No kernel: this is the state saved with the notebook.";
const ON_PAGE = "This page holds a part of the timeline.";
const LAST = "No kernel: only data loaded before can be shown.";

export class TimelinePanel implements Panel {
  readonly el: HTMLElement;
  #timeline: Controller;
  #stage: Stage;
  #panes: Part[];
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
    this.#stage = new Stage(ctx, timeline);
    const later = new LaterPanes(ctx, timeline, this.#stage.lanes);
    const toolbar = new Toolbar(ctx, timeline, later);
    this.#panes = [toolbar, later];
    this.#error = h("div", { class: "nbp-tl-error", role: "alert", hidden: true });
    this.#empty = h("div", {});
    const content = h(
      "div",
      { class: "nbp-tl" },
      this.#empty,
      toolbar.el,
      later.bar,
      this.#error,
      this.#stage.el,
      later.el,
    );
    const targets = {
      focusSearch: () => toolbar.focusSearch(),
      step: (direction: Direction) => this.#stage.step(direction),
    };
    new Keyboard(ctx, content, timeline, targets, () => this.#stage.focus());
    this.#loader = new Loader(ctx, "timeline", "the timeline", content);
    const { again } = ctx.session;
    this.#none = h("div", { hidden: true }, emptyState(h, "The timeline is left out", again));
    this.el = h("div", { class: "nbp-body" }, this.#none, this.#loader.el);
  }

  setInfo(_info: TraceInfo): void {}

  get parts(): readonly Part[] {
    const whenLaidOut = ({ update }: Part) => ({ update: () => this.ctx.room() > 0 && update() });
    const parts: Part[] = [
      { update: () => this.#load() },
      { update: () => this.#timeline.update() },
      { update: () => this.#stage.update() },
    ];
    return [...parts.map(whenLaidOut), { update: () => this.#showError() }, ...this.#panes];
  }

  /** Request the lanes, or take those of the saved state. */
  #load(): void {
    const { connected } = this.ctx.session.router;
    if (connected && !this.#connected) untracked(() => this.#timeline.retry());
    this.#connected = connected;
    if (connected) this.#ask();
    this.#useOutline();
  }

  exports(): Exportable[] {
    return [
      { title: "Timeline", picture: this.#stage.el },
      { trace: true },
      plainExport(this.ctx, "Slices", "slices"),
    ];
  }

  #ask(): void {
    const { session } = this.ctx;
    const group_by = session.get("group_by") || "thread";
    const trace = session.traceKey;
    const own = session.get("worker");
    const workers = (session.get("timeline_workers") ?? []).filter((name) => name !== own);
    const clock = session.get("timeline_clock") ?? "auto";
    const { baseline } = session.state;
    const choice: Choice = { group_by, ...(workers.length ? { workers, clock } : {}) };
    if (baseline?.run) choice.align = session.get("timeline_align") ?? {};
    this.#loader.need(
      { trace, choice, baseline },
      "",
      ({ choice }, options) => this.#timeline.requests.layout(choice, options),
      (reply, { trace }) => this.#show(reply, trace),
    );
  }

  #show({ result, buffers }: Reply<Layout>, trace: string): void {
    const [bytes] = buffers;
    const { h } = this.ctx;
    fill(this.#empty, result.empty ? emptyState(h, "Nothing to draw", result.empty) : null);
    this.#timeline.setLayout(result, bytes?.length ? decodeMinimap(result, bytes) : null, trace);
    this.#stage.update();
  }

  /** Draw the saved state until Python has answered, or if it does not. */
  #useOutline(): void {
    const { session } = this.ctx;
    const { connected } = session.router;
    const found = outlineOf(session);
    const outline = found?.traceKey === session.traceKey ? found : null;
    if (outline) {
      const { layout } = outline.about;
      const scope = scopeOf(outline.traceKey, layout);
      untracked(() => this.#timeline.store.setOutline(outline.level, scope));
      const grouped = (session.get("group_by") || "thread") === layout.group_by;
      if (!this.#timeline.layout && (grouped || !connected)) {
        untracked(() => this.#timeline.setLayout(layout, outline.minimap, outline.traceKey));
        this.#loader.present();
      }
    }
    const source = session.model.page ? ON_PAGE : IN_NOTEBOOK;
    const left = outline ? `${source} ${outline.about.left_out}`.trim() : LAST;
    this.#none.hidden = connected || !session.kept || this.#timeline.layout !== null;
    const missing = this.#timeline.layout?.left_out?.join(", ") ?? "";
    this.#timeline.setLeftOut(connected || !this.#timeline.layout ? missing : left);
  }

  /** Show the error of the last request. */
  #showError(): void {
    const { findError = null } = this.#timeline.state;
    const { error } = this.#timeline.store;
    const wrong = error ?? findError;
    const said = this.ctx.session.router.connected ? wrong : null;
    if (said === this.#said) return;
    this.#said = said;
    this.#error.hidden = said === null;
    const { h } = this.ctx;
    const again = error && link(h, "Try again", () => this.#timeline.retry());
    const words = h("span", { class: "nbp-error" }, "Error: ");
    fill(this.#error, said ? [words, said.message, " ", again] : null);
  }
}
