/** The form in which a note is written, below the canvas. */
import type { Context } from "../../../../core/context";
import { fill } from "../../../../core/dom";
import { button } from "../../../../parts/states";
import { displayName, middleCut } from "../../../../values/names";
import type { Note, NoteDraft } from "../../notes/note";
import type { Timeline } from "../../state/types";

/** As `nbprof/widgets/notes.py` allows. */
const MOST_TEXT = 2000;
const MOST_NAME = 80;

/** The subject of a note: the name of the slice, or the lane of the range. */
export function placeOf({ name, lane }: Note, timeline: Timeline): string {
  if (name) return middleCut(displayName(name), (shorter) => shorter.length <= MOST_NAME);
  const found = timeline.state.layout?.lanes.find(({ key }) => key === lane);
  return found ? found.label : lane || "all lanes";
}

export class NoteForm {
  readonly el: HTMLElement;
  #about: HTMLElement;
  #text: HTMLTextAreaElement;
  #draft: NoteDraft | null = null;

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
    /** Writes the time of a note. */
    private readonly time: (note: Note) => string,
  ) {
    const { h } = ctx;
    this.#about = h("div", { class: "nbp-muted" });
    this.#text = h("textarea", {
      rows: 2,
      maxlength: MOST_TEXT,
      "aria-label": "Note",
      placeholder: "Enter saves, Shift+Enter starts a line; without a text it is a bookmark",
    });
    const save = button(h, "Save", () => timeline.notes.save(this.#text.value), "primary");
    const cancel = button(h, "Cancel", () => timeline.notes.cancel());
    this.el = h(
      "div",
      { class: "nbp-tl-noteform", hidden: true },
      this.#about,
      this.#text,
      h("div", { class: "nbp-pair" }, save, cancel),
    );
    h.on(this.#text, { keydown: (event) => this.#key(event) });
  }

  update(): void {
    const { noting = null } = this.timeline.state;
    if (noting === this.#draft) return;
    this.#draft = noting;
    this.el.hidden = noting === null;
    if (!noting) return;
    const { note } = noting;
    const { h } = this.ctx;
    const place = placeOf(note, this.timeline);
    fill(this.#about, "Note on ", h("b", {}, place), ` at ${this.time(note)}`);
    this.#text.value = note.text;
    this.#text.focus({ preventScroll: false });
    this.#text.select();
  }

  /** No key reaches the timeline or the notebook. */
  #key(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.isComposing) return;
    if (event.key === "Escape") this.timeline.notes.cancel();
    else if (event.key === "Enter" && !event.shiftKey) this.timeline.notes.save(this.#text.value);
    else return;
    event.preventDefault();
  }
}
