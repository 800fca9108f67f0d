import {
  columnFromArray,
  type DataType,
  field,
  float32,
  float64,
  int32,
  list,
  Table,
  tableToIPC,
  uint8,
  uint32,
  utf8,
} from "@uwdata/flechette";
import { describe, expect, test } from "vitest";
import { decodeLevel, decodeMinimap } from "../../../src/views/timeline/data/decode";
import type { Layout } from "../../../src/views/timeline/data/messages";
import { levelOf } from "./fake";

function stream(columns: Record<string, [DataType, unknown[]]>): Uint8Array {
  const fields = Object.entries(columns).map(([name, [type]]) => field(name, type));
  const data = Object.values(columns).map(([type, cells]) => columnFromArray(cells, type));
  const schema = { version: 4, endianness: 0, fields, metadata: null, dictionaryTypes: new Map() };
  return tableToIPC(new Table(schema as never, data), { format: "stream" }) as Uint8Array;
}

const slices = (width: DataType = float64()): Uint8Array =>
  stream({
    row: [int32(), [7, 3]],
    start: [list(float64()), [[5, 2 ** 53 - 1], [1]]],
    width: [list(width), [[2, 1], [9]]],
    slice: [list(int32()), [[40, 41], [3]]],
    name: [list(int32()), [[0, -1], [1]]],
    category: [list(uint8()), [[7, 8], [0]]],
    block: [list(uint32()), [[1], []]],
    count: [list(uint32()), [[12], []]],
    block_name: [list(int32()), [[1], []]],
    busy_ns: [list(float64()), [[0.5], []]],
  });

const { info } = levelOf([], { matches: [1], dimmed: [0] });

describe("a reply to `slices`", () => {
  test("rows come with typed arrays of their own lengths", () => {
    const level = decodeLevel(info, slices(), undefined);
    expect([...level.rows.keys()]).toEqual([7, 3]);
    const row = level.rows.get(7);
    expect(row?.start).toEqual(Float64Array.of(5, 2 ** 53 - 1));
    expect(row?.category).toEqual(Uint8Array.of(7, 8));
    expect(row?.slice).toEqual(Int32Array.of(40, 41));
    expect(row?.block_name).toEqual(Int32Array.of(1));
    expect([row?.block, row?.count, row?.busy_ns]).toEqual([
      Uint32Array.of(1),
      Uint32Array.of(12),
      Float64Array.of(0.5),
    ]);
    expect(level.rows.get(3)?.block).toHaveLength(0);
    expect(level.tracks.size).toBe(0);
    expect(level.matches.has(1) && level.dimmed.has(0)).toBe(true);
  });

  test("nothing is copied: the arrays look into the reply", () => {
    const bytes = slices();
    const level = decodeLevel(info, bytes, undefined);
    for (const row of level.rows.values()) {
      for (const values of [row.start, row.width, row.slice, row.name, row.category]) {
        expect(values.buffer).toBe(bytes.buffer);
      }
    }
  });

  test("a reply may start at any byte of its buffer", () => {
    const bytes = slices();
    for (const offset of [1, 4, 8]) {
      const shifted = new Uint8Array(bytes.length + offset);
      shifted.set(bytes, offset);
      const level = decodeLevel(info, shifted.subarray(offset), undefined);
      expect(level.rows.get(7)?.width).toEqual(Float64Array.of(2, 1));
    }
  });

  test("values of another type are an error, not a wrong picture", () => {
    expect(() => decodeLevel(info, slices(float32()), undefined)).toThrow(/"width".*Float32Array/);
    expect(() => decodeLevel(info, stream({ row: [int32(), [1]] }), undefined)).toThrow(/"start"/);
  });

  test("tracks are found by their keys", () => {
    const numbers = (cells: number[][]): [DataType, unknown[]] => [list(float64()), cells];
    const tracks = stream({
      key: [utf8(), ["util:0", "memory:0"]],
      time: numbers([[1, 2], [0]]),
      first: numbers([[0, 100], [5]]),
      last: numbers([[50, 100], [7]]),
      low: numbers([[0, 90], [4]]),
      high: numbers([[60, 100], [8]]),
    });
    const level = decodeLevel(info, slices(), tracks);
    expect(level.tracks.get("util:0")?.low).toEqual(Float64Array.of(0, 90));
    expect(level.tracks.get("memory:0")).toMatchObject({ key: "memory:0", high: { 0: 8 } });
  });
});

test("the minimap is whole columns", () => {
  const minimap = { columns: 4, bands: [{ group: "device:0", label: "GPU 0" }] };
  const layout = { minimap } as Layout;
  const bytes = stream({
    band: [int32(), [0, 0]],
    column: [int32(), [1, 3]],
    category: [uint8(), [7, 8]],
    share: [float32(), [0.5, 1]],
  });
  expect(decodeMinimap(layout, bytes)).toEqual({
    ...minimap,
    band: Int32Array.of(0, 0),
    column: Int32Array.of(1, 3),
    category: Uint8Array.of(7, 8),
    share: Float32Array.of(0.5, 1),
  });
  const types: [string, DataType][] = [
    ["band", int32()],
    ["column", int32()],
    ["category", uint8()],
    ["share", float32()],
  ];
  const empty = stream(Object.fromEntries(types.map(([name, type]) => [name, [type, []]])));
  expect(decodeMinimap(layout, empty).share).toEqual(new Float32Array(0));
});
