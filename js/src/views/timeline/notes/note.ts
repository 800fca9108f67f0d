/** Types of the notes that a person writes on slices and ranges. */

/** A note in the trait; its times count from the first event of the worker. */
export interface Note {
  run: string;
  worker: string;
  span: number;
  /** Key of the lane; empty for all lanes. */
  lane: string;
  /** Row of the slice within the lane; -1 for a range. */
  depth: number;
  /** The slice as in `selection`; empty and -1 for a range. */
  side: string;
  row: number;
  start_ns: number;
  end_ns: number;
  /** Name of the slice; empty for a range. */
  name: string;
  text: string;
}

/** A note with its position on screen: its row, its lane, and its times on the screen's clock. */
export interface NoteMark {
  note: Note;
  start_ns: number;
  end_ns: number;
  /** Number of the slice's row; null for a range. */
  row: number | null;
  /** Key of the lane on the screen; empty for all lanes. */
  lane: string;
}

/** A note that is being written. */
export interface NoteDraft {
  note: Note;
  /** The note that is edited; null for a new one. */
  before: Note | null;
}

/** Actions on notes. */
export interface NoteBook {
  readonly all: readonly Note[];
  readonly marks: readonly NoteMark[];
  begin(): void;
  edit(note: Note): void;
  cancel(): void;
  save(text: string): void;
  remove(note: Note): void;
  add(note: Note): void;
  show(mark: NoteMark): void;
}
