/** `Notes`: reads and writes the trait `notes`, a person's notes on slices and ranges. */
import { sameValue } from "../../../core/state/equality";
import type { Session } from "../../../core/state/session";
import type { Key } from "../../../core/state/traits";
import type { Layout, ShownWorker, SliceRef } from "../data/messages";
import type { StateHolder } from "../state/holder";
import { workerOfKey } from "../state/scope";
import { keyToSlice, sliceKey } from "../state/selectionkeys";
import type { Area, View } from "../state/types";
import type { Note, NoteBook, NoteMark } from "./note";

/** A worker that notes may be on. */
type Place = Pick<ShownWorker, "worker" | "suffix" | "shift_ns" | "baseline">;

/** Functions of the timeline that notes use. */
interface Host {
  readonly lanes: { revealRow(row: number): void };
  onNote(text: string): void;
  /** Give the focus back to the lanes. */
  onShown(): void;
  goTo(target: SliceRef): void;
  zoomTo(range: View): void;
  selectArea(area: Area | null): void;
}

interface Selected {
  /** The extent of the slice, block or area that was selected last. */
  readonly range: View | null;
  /** Select a slice by its key. */
  take(keys: readonly Key[]): unknown;
}

export class Notes implements NoteBook {
  constructor(
    private readonly session: Session,
    private readonly state: StateHolder,
    private readonly host: Host,
    private readonly selected: Selected,
  ) {}

  get all(): Note[] {
    return (this.session.get("notes") ?? []) as unknown as Note[];
  }

  /** The notes on the trace on screen, by time. */
  get marks(): NoteMark[] {
    const { layout } = this.state.now;
    if (!layout) return [];
    const { run, worker, span } = this.session.state;
    const all: readonly Place[] = layout.workers ?? [{ worker, suffix: "", shift_ns: 0 }];
    const shown = all.filter((one) => !one.baseline);
    return this.all
      .filter((note) => note.run === run && note.span === span)
      .flatMap((note) => {
        const found = shown.find((one) => one.worker === note.worker);
        return found ? [markOf(note, layout, found)] : [];
      })
      .sort((one, other) => one.start_ns - other.start_ns);
  }

  /** Start writing a note on the selected slice or range. */
  begin(): void {
    const note = this.#ofSelection();
    if (note === "baseline") this.host.onNote("Notes are kept for the candidate only");
    else if (!note) this.host.onNote("Select a slice or a range first");
    else this.state.set({ noting: { note, before: null } });
  }

  edit(note: Note): void {
    this.state.set({ noting: { note, before: note } });
  }

  /** End writing. */
  cancel(): void {
    this.host.onShown();
    this.state.set({ noting: null });
  }

  /** Save the note; an empty text makes a bookmark. */
  save(text: string): void {
    const draft = this.state.now.noting;
    if (!draft) return;
    const note = { ...draft.note, text: text.trim() };
    const at = this.all.findIndex((one) => sameValue(one, draft.before));
    this.#write(at < 0 ? [...this.all, note] : this.all.map((one, i) => (i === at ? note : one)));
    this.cancel();
  }

  remove(note: Note): void {
    this.#write(this.all.filter((one) => !sameValue(one, note)));
    if (sameValue(this.state.now.noting?.before, note)) this.cancel();
  }

  add(note: Note): void {
    this.#write([...this.all, note]);
  }

  /** Show the place of a note. */
  show({ note, row, lane, start_ns, end_ns }: NoteMark): void {
    const { layout } = this.state.now;
    if (!layout) return;
    if (note.side) {
      const own = note.worker === this.session.state.worker;
      const key = { side: note.side, row: note.row, ...(own ? {} : { worker: note.worker }) };
      const slice = keyToSlice(key, layout);
      if (row === null) this.selected.take([key]);
      else if (slice !== null) this.host.goTo({ slice, row, start_ns, end_ns, name: note.name });
      return;
    }
    const place = layout.lanes.find(({ key }) => key === lane);
    if (place) this.host.lanes.revealRow(place.first_row);
    this.host.zoomTo({ start_ns, end_ns });
    this.host.selectArea({ start_ns, end_ns, lanes: place ? [lane] : [] });
  }

  #write(notes: Note[]): void {
    this.session.set({ notes: notes as unknown as Key[] });
    this.state.changed();
  }

  #ofSelection(): Note | "baseline" | null {
    const { layout, selected, details, area, block } = this.state.now;
    const range = this.selected.range;
    if (!layout) return null;
    const { run, worker, span } = this.session.state;
    const nowhere = { lane: "", depth: -1, side: "", row: -1, name: "", text: "" };
    const at = (key: string, from: number, to: number) => {
      const of = workerOfKey(layout, key);
      const { suffix = "", shift_ns = 0 } = of ?? {};
      const lane = suffix ? key.slice(0, -suffix.length) : key;
      const times = { start_ns: from - shift_ns, end_ns: to - shift_ns };
      return { run, worker: of?.worker ?? worker, span, ...nowhere, lane, ...times };
    };
    if (selected && range !== area) {
      const { start_ns, end_ns, slice } = selected;
      const lane = layout.lanes.find(
        ({ first_row, depths }) => selected.row >= first_row && selected.row < first_row + depths,
      );
      const name = (details?.slice === slice ? details.name : selected.name) ?? "";
      const depth = lane ? selected.row - lane.first_row : -1;
      const key = sliceKey(slice, layout);
      if (key.baseline) return "baseline";
      const { side, row } = key as { side: string; row: number };
      const place = at(lane?.key ?? "", start_ns, end_ns);
      return { ...place, depth, side, row, name: name.slice(0, 400) };
    }
    if (!range) return null;
    const lanes = range === area ? area.lanes : [block?.lane.key ?? ""];
    const lane = lanes.length === 1 ? (lanes[0] as string) : "";
    if (lane && workerOfKey(layout, lane)?.baseline) return "baseline";
    return at(lane, range.start_ns, range.end_ns);
  }
}

/** Convert a worker's note to the screen's clock, which is `shift_ns` ahead of the worker's. */
function markOf(note: Note, layout: Layout, { suffix, shift_ns }: Place): NoteMark {
  const lane = layout.lanes.find(({ key }) => key === note.lane + suffix);
  const row =
    lane && note.depth >= 0 && note.depth < lane.depths ? lane.first_row + note.depth : null;
  return {
    note,
    row,
    lane: lane?.key ?? "",
    start_ns: note.start_ns + shift_ns,
    end_ns: note.end_ns + shift_ns,
  };
}
