/**
 * What a view, or a page, keeps for when there is no Python; `nbprof/widgets/kernelless/snapshot.py` writes it.
 *
 * The bytes: "NBPSNAP1", the length of the header (uint32, little endian), the header as JSON,
 * zeros up to a multiple of 8, then the parts, each of which begins at a multiple of 8.
 */
import type { Rows } from "../values/arrow";

const MAGIC = "NBPSNAP1";

/** What this reader understands; raised with every change that an older one could not cope with. */
export const SNAPSHOT_VERSION = 1;

/** Reads an Arrow stream, aligned: `readRows` of the widget, which has one already. */
export type Reader = (stream: Uint8Array) => Rows;

/** Something by name: a short description, and the parts that hold the rest. */
export interface Entry {
  about?: unknown;
  parts?: number[];
}

/**
 * What stands before the parts. The names of the entries:
 *
 * - `catalog`, `trace`: `about` is the result of that operation.
 * - `facts`: `about` are the pairs of label and value that the overview shows.
 * - `cards:<view>`: `about` are the cards of a view; `table:card:<card>/<choice>/<number>:` what
 *   they show, and what their charts are drawn from.
 * - `table:<table>:<group_by>`: `about` is a `TableAbout`; one part, an Arrow stream of its rows.
 * - `distributed`: `about` is what is said of the workers; one part, their devices.
 * - `memory`: `about` says which devices have memory, and what `memory` answers of each; the
 *   `memory_…` tables hold the rows of all devices.
 * - `flame:<by>:<order>`: as a reply; `about` of `flame` says what the width is by default.
 * - `partials:<table>:<group_by>`: what tables under other filters are made of.
 * - `timeline`: one part, what the trait `timeline_snapshot` holds.
 */
export interface Header {
  version: number;
  /** The version of nbprof that wrote it. */
  nbprof: string;
  /** Run, worker and span. */
  key: [run: string, worker: string, span: number, step?: string];
  /** What the tables are narrowed to; a `Filter`. No range of the memory curve narrows any. */
  filter: Record<string, unknown>;
  entries: Record<string, Entry>;
  /** Where each part begins, counted from the first; how long it is; and, of one that is
   * compressed (zlib), how long it will be, else 0. */
  parts: [offset: number, length: number, inflated: number][];
  /** What was left out for its size, each a sentence. */
  left_out: string[];
  limits: { max_bytes: number };
}

/** What is said of a table whose rows are inside; the fields of `Page` that do not depend on them. */
export interface TableAbout {
  table: string;
  group_by: string;
  /** How many rows there are in Python; inside may be fewer: the first in the first order. */
  rows: number;
  /** The same without a name filter. */
  all: number;
  /** Columns to sort by at first, largest first: the first of them that holds anything. */
  sorts: string[];
  keys: string[];
  hidden: string[];
  notes: Record<string, string>;
  maxima: Record<string, number>;
  /** Columns that may be added up, and their sums over all rows. */
  sums: Record<string, number>;
  all_sums: Record<string, number>;
  /** Said where there are no rows. */
  empty?: unknown;
}

/** The column of a table inside that is no column of the table: the colour slot of each row. */
export const SLOT = "nbprof:slot";

export class SnapshotError extends Error {}

export class Snapshot {
  readonly #texts = new Map<number, Promise<Uint8Array>>();

  private constructor(
    readonly header: Header,
    private readonly body: Uint8Array,
    private readonly reader: Reader,
  ) {}

  /**
   * Read what a container holds.
   *
   * @throws SnapshotError - it is none, is broken off, or is of another version
   */
  static read(bytes: Uint8Array, reader: Reader): Snapshot {
    const text = new TextDecoder();
    const magic = text.decode(bytes.subarray(0, MAGIC.length));
    if (magic !== MAGIC || bytes.length < 12) throw new SnapshotError("It is no snapshot.");
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const length = view.getUint32(MAGIC.length, true);
    const start = Math.ceil((12 + length) / 8) * 8;
    let header: Header;
    try {
      header = JSON.parse(text.decode(bytes.subarray(12, 12 + length))) as Header;
    } catch {
      throw new SnapshotError("It is broken off.");
    }
    if (typeof header?.version !== "number") throw new SnapshotError("It is no snapshot.");
    if (header.version !== SNAPSHOT_VERSION)
      throw new SnapshotError(`It was written by nbprof ${header.nbprof}.`);
    if (!isWhole(header, bytes.length - start)) throw new SnapshotError("It is broken off.");
    return new Snapshot(header, bytes.subarray(start), reader);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.header.entries, name);
  }

  about<T>(name: string): T | undefined {
    return this.#entry(name)?.about as T | undefined;
  }

  /** The bytes of one part of an entry, aligned as Arrow's reader needs them. */
  async bytes(name: string, index = 0): Promise<Uint8Array | undefined> {
    const number = this.#entry(name)?.parts?.[index];
    if (number === undefined) return undefined;
    let found = this.#texts.get(number);
    if (!found) {
      found = this.#read(number);
      this.#texts.set(number, found);
    }
    return found;
  }

  /** The table that a part holds. */
  async rows(name: string, index = 0): Promise<Rows | undefined> {
    const bytes = await this.bytes(name, index);
    return bytes && this.reader(bytes);
  }

  async text(name: string): Promise<string | undefined> {
    const bytes = await this.bytes(name);
    return bytes && new TextDecoder().decode(bytes);
  }

  #entry(name: string): Entry | undefined {
    return this.has(name) ? this.header.entries[name] : undefined;
  }

  async #read(number: number): Promise<Uint8Array> {
    const [offset, length, inflated] = this.header.parts[number] ?? [0, 0, 0];
    const bytes = this.body.slice(offset, offset + length);
    return inflated ? inflate(bytes, inflated) : bytes;
  }
}

/** Whether everything that the reader relies on is there, and every part lies inside. */
function isWhole({ key, filter, entries, parts, left_out }: Header, room: number): boolean {
  const inside = (part: unknown) =>
    Array.isArray(part) && part.every((one) => one >= 0) && part[0] + part[1] <= room;
  const objects = [filter, entries].every((one) => one !== null && typeof one === "object");
  return objects && [key, parts, left_out].every(Array.isArray) && parts.every(inside);
}

/** Undo zlib; no more than was announced comes out. */
async function inflate(bytes: Uint8Array, length: number): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart])
    .stream()
    .pipeThrough(new DecompressionStream("deflate"));
  const whole = new Uint8Array(length);
  const reader = stream.getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > length) throw new SnapshotError("A part is longer than it says.");
    whole.set(value, at);
    at += value.length;
  }
  if (at < length) throw new SnapshotError("A part is broken off.");
  return whole;
}

/** JSON with the keys of every object in order, without spaces: the same params, the same text. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
