/** Reads Arrow streams into rows of plain values, with the units and meanings of columns. */
import { type Column as ArrowColumn, type Table, Type, tableFromIPC } from "@uwdata/flechette";

export type Value = string | number | boolean | null;

export type Kind = "text" | "float" | "int" | "bool";

export interface Column {
  name: string;
  /** The kind of its values; missing for columns made by hand. */
  kind?: Kind;
  unit: string;
  meaning: string;
  /** The term of the device's vendor for its subject; empty without one. */
  term?: string | undefined;
  at(row: number): Value;
}

export class Rows {
  readonly #byName: Map<string, Column>;

  constructor(
    readonly length: number,
    readonly columns: readonly Column[],
  ) {
    this.#byName = new Map(columns.map((column) => [column.name, column]));
  }

  column(name: string): Column | undefined {
    return this.#byName.get(name);
  }

  get(name: string, row: number): Value {
    return row < this.length ? (this.#byName.get(name)?.at(row) ?? null) : null;
  }

  text(name: string, row: number): string {
    const value = this.get(name, row);
    return value === null ? "" : String(value);
  }

  number(name: string, row: number): number | null {
    const value = this.get(name, row);
    return typeof value === "number" ? value : null;
  }
}

/** Read an uncompressed Arrow IPC stream; without Python the buffer carries decoded rows. */
export function readRows(buffer: Uint8Array): Rows {
  const { rows } = buffer as { rows?: Rows };
  if (rows) return rows;
  // A view may start at any byte; Arrow's own reader needs aligned memory.
  const aligned = buffer.byteOffset % 8 === 0 ? buffer : buffer.slice();
  const table = tableFromIPC(aligned);
  const columns = table.schema.fields.map((field, index): Column => {
    const data = table.getChildAt(index);
    return {
      name: field.name,
      kind: kindOf(field.type as { typeId: number }),
      unit: field.metadata?.get("unit") ?? "",
      meaning: field.metadata?.get("meaning") ?? "",
      term: field.metadata?.get("term"),
      at: (row) => plain(data.at(row)),
    };
  });
  return new Rows(table.numRows, columns);
}

function kindOf({ typeId }: { typeId: number }): Kind {
  if (typeId === Type.Float) return "float";
  if (typeId === Type.Int) return "int";
  return typeId === Type.Bool ? "bool" : "text";
}

function plain(value: unknown): Value {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") return Number(value);
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}

export type { ArrowColumn, Table };

/** Read an Arrow stream as a plain Arrow table. */
export function readTable(stream: Uint8Array): Table {
  return tableFromIPC(stream);
}
