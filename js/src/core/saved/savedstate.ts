/**
 * Reads the saved state format: the data of a saved notebook or page for use without Python, as
 * `nbprof/widgets/saved/writer.py` writes it.
 *
 * Layout: "NBPSNAP1", the length of the header (uint32, little endian), the header as JSON, zeros
 * up to a multiple of 8, then the parts, each starting at a multiple of 8.
 */
import type { Rows } from "../../values/arrow";

const MAGIC = "NBPSNAP1";

/** The format version; raised with every change that older readers cannot handle. */
const SAVED_VERSION = 3;

/** Reads an aligned Arrow stream: `readRows` of the core, passed in. */
type Reader = (stream: Uint8Array) => Rows;

/** A named entry: a short description, and the indices of its parts. */
interface Entry {
  about?: unknown;
  parts?: number[];
}

/**
 * The header, which precedes the parts. The names of the entries:
 *
 * - `catalog`, `trace`: `about` is the result of that operation.
 * - `tables`: `about` has the `TableFacts` of tables by name.
 * - `facts`: `about` are the pairs of label and value that the overview shows.
 * - `cards:<view>`: `about` are the cards of a view; `table:card:<card>/<choice>/<number>:` are the
 *   tables that they show and draw.
 * - `figures:<view>`: `about` are the figures that a view draws itself; one part for each figure,
 *   as JSON for BokehJS.
 * - `table:<table>:<group_by>`: `about` is a `TableAbout`; one part, an Arrow stream of its rows.
 * - `steps:table:…`, `name:table:…`: the same without the fields of the filter that a click in a
 *   chart of steps or names sets; the chart shows muted what the filter leaves out.
 * - `distributed`: `about` is the reply about the workers; one part, their devices.
 * - `memory`: `about` says which devices have memory, and the result of `memory` for each; the
 *   `memory_…` tables hold the rows of all devices.
 * - `flame:<by>:<order>`: as a reply; `about` of `flame` is the default width.
 * - `partials:<table>:<group_by>`: the figures from which tables under other filters are computed.
 * - `diff`: as a reply; `diff:steps` and `diff:by:<word>`: the values of every step of both sides, from
 *   which `views/diff/later` compares under other filters.
 * - `timeline`: four parts: a `SavedTimeline` as JSON, its slices, the minimap and the curves.
 */
interface Header {
  version: number;
  /** The version of nbprof that wrote it. */
  nbprof: string;
  /** Run, worker and span. */
  key: [run: string, worker: string, span: number, step?: string];
  /** The `Filter` of the tables. A brushed memory range is never applied to them. */
  filter: Record<string, unknown>;
  entries: Record<string, Entry>;
  /** Offset of each part from the first, its length, and its length once decompressed (zlib), or 0
   * where it is not compressed. */
  parts: [offset: number, length: number, inflated: number][];
  /** One sentence for each thing that was left out to save space. */
  left_out: string[];
  limits: { max_bytes: number };
}

/** The description of a stored table: the fields of `Page` that do not depend on its rows. */
export interface TableAbout {
  table: string;
  group_by: string;
  /** The words for one row and for several. */
  nouns: [one: string, many: string];
  /** The number of rows in Python; the saved state may hold fewer: the first by the default order. */
  rows: number;
  /** The number of rows without a name filter. */
  all: number;
  /** Default sort columns, descending: the first that has a value is used. */
  sorts: string[];
  keys: string[];
  hidden: string[];
  notes: Record<string, string>;
  maxima: Record<string, number>;
  /** Columns that may be added up, and their sums over all rows. */
  sums: Record<string, number>;
  all_sums: Record<string, number>;
  /** The same sums without any filter. */
  whole_sums?: Record<string, number>;
  /** The message for a table without rows. */
  empty?: unknown;
  /** Further fields of a page, which do not depend on a search. */
  more?: object;
  /** Of a card: the label of the bar without a name. */
  rest?: string;
}

/** The fields of a table's specification that are needed without Python. */
interface TableFacts {
  /** The default grouping. */
  group_by?: string;
  /** The table that lists the parts of its rows. */
  parts_table?: string;
  /** Whether the table is the sum of the contributions of steps. */
  adds_up?: boolean;
}

/** An extra column of stored tables: the colour slot of each row. */
export const SLOT = "nbprof:slot";

export class SavedStateError extends Error {}

export class SavedState {
  readonly #texts = new Map<number, Promise<Uint8Array>>();

  private constructor(
    readonly header: Header,
    private readonly body: Uint8Array,
    private readonly reader: Reader,
  ) {}

  /**
   * Read saved state from its bytes.
   *
   * @throws SavedStateError - not saved state, truncated, or of another version
   */
  static read(bytes: Uint8Array, reader: Reader): SavedState {
    const text = new TextDecoder();
    const magic = text.decode(bytes.subarray(0, MAGIC.length));
    if (magic !== MAGIC || bytes.length < 12)
      throw new SavedStateError("It is not saved state of nbprof.");
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const length = view.getUint32(MAGIC.length, true);
    const start = Math.ceil((12 + length) / 8) * 8;
    let header: Header;
    try {
      header = JSON.parse(text.decode(bytes.subarray(12, 12 + length))) as Header;
    } catch {
      throw new SavedStateError("It is truncated.");
    }
    if (typeof header?.version !== "number")
      throw new SavedStateError("It is not saved state of nbprof.");
    if (header.version !== SAVED_VERSION)
      throw new SavedStateError(`It was written by nbprof ${header.nbprof}.`);
    if (!isWhole(header, bytes.length - start)) throw new SavedStateError("It is truncated.");
    return new SavedState(header, bytes.subarray(start), reader);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.header.entries, name);
  }

  about<T>(name: string): T | undefined {
    return this.#entry(name)?.about as T | undefined;
  }

  /** The facts about a table; empty for tables of which there are none. */
  facts(table: string): TableFacts {
    const all = this.about<Record<string, TableFacts>>("tables") ?? {};
    return (Object.hasOwn(all, table) && all[table]) || {};
  }

  /** The bytes of one part of an entry, aligned as Arrow's reader needs them. */
  async bytes(name: string, index = 0): Promise<Uint8Array | undefined> {
    const number = this.#entry(name)?.parts?.[index];
    if (number === undefined) return undefined;
    let text = this.#texts.get(number);
    if (!text) {
      text = this.#read(number);
      this.#texts.set(number, text);
    }
    return text;
  }

  /** The table of one part. */
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

/** Whether the header is complete and every part lies within the bytes. */
function isWhole({ key, filter, entries, parts, left_out }: Header, room: number): boolean {
  const inside = (part: unknown) =>
    Array.isArray(part) && part.every((one) => one >= 0) && part[0] + part[1] <= room;
  const objects = [filter, entries].every((one) => one !== null && typeof one === "object");
  return objects && [key, parts, left_out].every(Array.isArray) && parts.every(inside);
}

/** Decompress zlib data, up to the announced length. */
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
    if (at + value.length > length) throw new SavedStateError("It is damaged.");
    whole.set(value, at);
    at += value.length;
  }
  if (at < length) throw new SavedStateError("It is truncated.");
  return whole;
}

/** JSON with sorted keys and no spaces, so that equal values give equal text. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
