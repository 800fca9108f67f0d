/** The list of notes below the canvas: each leads to its place, and can be changed and deleted. */
import type { Context } from "../../../../core/context";
import { fill } from "../../../../core/dom";
import { sameValue } from "../../../../core/state/equality";
import { link } from "../../../../parts/states";
import { plural } from "../../../../values/format";
import { positionChoice } from "../../drawing/ticks";
import type { Note, NoteMark } from "../../notes/note";
import { positionText } from "../../panes/positiontext";
import type { Timeline } from "../../state/types";
import { NoteForm, placeOf } from "./noteform";

/** Positions in the list have three decimals, whatever the window. */
const WINDOW = 1e6;

export class NoteList {
  readonly el: HTMLElement;
  #form: NoteForm;
  #list: HTMLElement;
  #rest: HTMLElement;
  #gone: Note | null = null;
  #drawn: unknown;

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
  ) {
    const { h } = ctx;
    this.#form = new NoteForm(ctx, timeline, (note) => this.#time(note.start_ns));
    this.#list = h("ul", { class: "nbp-tl-notelist" });
    this.#rest = h("p", { class: "nbp-muted" });
    this.el = h("div", { "data-offline": true }, this.#form.el, this.#list, this.#rest);
  }

  update(): void {
    this.#form.update();
    const { marks, all } = this.timeline.notes;
    const choice = positionChoice(this.ctx, this.timeline);
    const { layout } = this.timeline.state;
    const drawn = [all, marks, this.#gone, choice, layout?.group_by];
    if (sameValue(drawn, this.#drawn)) return;
    this.#drawn = drawn;
    fill(this.#list, ...marks.map((mark) => this.#line(mark)));
    fill(this.#rest, ...this.#words(marks, all));
  }

  #line(mark: NoteMark): HTMLElement {
    const { h } = this.ctx;
    const { note } = mark;
    const { notes } = this.timeline;
    const place = placeOf(note, this.timeline);
    const jump = link(h, this.#time(mark.start_ns), () => notes.show(mark));
    jump.setAttribute("aria-label", `Go to ${place} at ${this.#time(mark.start_ns)}`);
    const edit = link(h, "Edit", () => notes.edit(note));
    const remove = link(h, "Delete", () => {
      this.#gone = note;
      notes.remove(note);
      this.ctx.announce("Note deleted");
    });
    return h(
      "li",
      {},
      jump,
      h("span", { class: "nbp-mono nbp-tl-noteplace", title: note.name || null }, place),
      h("span", { class: "nbp-tl-notetext" }, note.text || h("i", {}, "bookmark")),
      h("span", { class: "nbp-pair" }, edit, remove),
    );
  }

  /** Remarks below the list: a note just deleted, notes on other workers, or how to write one. */
  #words(marks: readonly NoteMark[], all: readonly Note[]) {
    const { h } = this.ctx;
    const gone = this.#gone;
    const undo =
      gone &&
      link(h, "Undo", () => {
        this.#gone = null;
        this.timeline.notes.add(gone);
      });
    const others = all.length - marks.length;
    const none = marks.length ? "" : "Select a slice or a range and press T to write a note. ";
    return [
      undo ? "Note deleted. " : none,
      undo,
      undo ? " " : "",
      others > 0 ? `${plural(others, "note")} on other workers, spans or runs.` : "",
    ];
  }

  #time(ns: number): string {
    return positionText(ns, WINDOW, positionChoice(this.ctx, this.timeline));
  }
}
