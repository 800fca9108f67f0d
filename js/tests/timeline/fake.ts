/** A small trace, and a Python that answers for it without any level of detail. */

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
import { CATEGORIES, type Category } from "../../src/canvas/categories";
import type { Op, Request } from "../../src/core/protocol/protocol";
import type { Layout, SliceDetails } from "../../src/views/timeline/data/messages";
import type { Arrangement } from "../../src/views/timeline/state/lanes/arrangement";

interface Slice {
  row: number;
  start: number;
  end: number;
  name: string;
  category: Category;
}

export const HOST_ROWS = 6;
const slice = (row: number, start: number, end: number, name: string, category: Category) => ({
  row,
  start,
  end,
  name,
  category,
});

/** By slice id: host rows first. Rows 0 and 1 are a thread's, row 2 another's, row 3 a stream's. */
export const SLICES: Slice[] = [
  slice(0, 0, 400_000, "aten::conv2d", "operator"),
  slice(1, 100_000, 200_000, "aten::cudnn_convolution", "operator"),
  slice(1, 250_000, 260_000, "cudaLaunchKernel", "runtime"),
  slice(0, 500_000, 900_000, "aten::conv2d", "operator"),
  slice(1, 600_000, 600_003, "cudaLaunchKernel", "runtime"),
  slice(2, 800_000, 990_000, "ConvolutionBackward", "operator"),
  slice(3, 300_000, 450_000, "void conv_kernel<float>()", "kernel"),
  slice(3, 700_000, 950_000, "void conv_kernel<float>()", "kernel"),
];

const NO_PLACE = { tid: null, device: null, stream: null };
const lane = { detail: "", slices: 2, moved: 0, ...NO_PLACE };

export const LAYOUT: Layout = {
  group_by: "thread",
  start_ns: 0,
  end_ns: 1_000_000,
  host_rows: HOST_ROWS,
  groups: [
    { key: "process:1", label: "python 1", detail: "CPU, 2 threads" },
    { key: "device:0", label: "GPU 0", detail: "V100, 1 stream" },
  ],
  lanes: [
    {
      ...lane,
      key: "cpu:1:7",
      group: "process:1",
      label: "Thread 7",
      detail: "main",
      kind: "thread",
      first_row: 0,
      depths: 2,
      moved: 3,
      tid: 7,
    },
    {
      ...lane,
      key: "cpu:1:8",
      group: "process:1",
      label: "Thread 8",
      kind: "thread",
      first_row: 2,
      depths: 1,
      tid: 8,
    },
    {
      ...lane,
      key: "gpu:0:7",
      group: "device:0",
      label: "Stream 7",
      kind: "stream",
      first_row: 3,
      depths: 1,
      device: 0,
      stream: 7,
    },
  ],
  tracks: [
    {
      key: "utilization:0",
      group: "device:0",
      label: "Utilization",
      detail: "0 to 100 %",
      unit: "%",
      low: 0,
      high: 100,
      device: 0,
      stream: null,
    },
  ],
  steps: [{ step: 5, start_ns: 0, end_ns: 500_000, device: null }],
  slices: SLICES.length,
  moved: 3,
  minimap: { columns: 10, bands: [{ group: "process:1", label: "CPU" }] },
};

/** Lanes as at first. */
export const PLAIN: Arrangement = {
  collapsed: new Set(),
  hidden: new Set(),
  pinned: [],
  order: [],
  heights: {},
  filter: {},
  empty: new Set(),
  room: 0,
};

export function stream(columns: Record<string, [DataType, unknown[]]>): ArrayBuffer {
  const fields = Object.entries(columns).map(([name, [type]]) => field(name, type));
  const data = Object.values(columns).map(([type, cells]) => columnFromArray(cells, type));
  const schema = { version: 4, endianness: 0, fields, metadata: null, dictionaryTypes: new Map() };
  const bytes = tableToIPC(new Table(schema as never, data), { format: "stream" }) as Uint8Array;
  return bytes.slice().buffer as ArrayBuffer;
}

const NAMES = [...new Set(SLICES.map(({ name }) => name))];

/** What a request for a window is answered with; all slices, none in blocks. */
export function windowOf(params: Record<string, unknown>) {
  const from = params.start_ns as number;
  const to = params.end_ns as number;
  const rows = params.rows as [number, number][];
  const search = (params.search as string) ?? "";
  const wanted = [0, 1, 2, 3].filter((row) => rows.some(([a, b]) => row >= a && row < b));
  const found = wanted.map((row) =>
    SLICES.flatMap((each, id) =>
      each.row === row && each.start < to && each.end > from ? [{ ...each, id }] : [],
    ),
  );
  const full = found.filter((items) => items.length);
  const lists = (value: (each: Slice & { id: number }) => number) =>
    full.map((items) => items.map(value));
  const table = stream({
    row: [int32(), full.map((items) => items[0]?.row ?? 0)],
    start: [list(float64()), lists((each) => each.start)],
    width: [list(float64()), lists((each) => each.end - each.start)],
    slice: [list(int32()), lists((each) => each.id)],
    name: [list(int32()), lists((each) => NAMES.indexOf(each.name))],
    category: [list(uint8()), lists((each) => CATEGORIES.indexOf(each.category))],
    block: [list(uint32()), full.map(() => [])],
    count: [list(uint32()), full.map(() => [])],
    block_name: [list(int32()), full.map(() => [])],
    busy_ns: [list(float64()), full.map(() => [])],
  });
  const info = {
    start_ns: from,
    end_ns: to,
    bin_ns: 1,
    group_by: "thread",
    rows,
    names: NAMES,
    slots: NAMES.map(() => 0),
    shades: NAMES.map(() => 0),
    matches: search ? NAMES.flatMap((name, at) => (name.includes(search) ? [at] : [])) : [],
    dimmed: [],
  };
  return { info, table };
}

const TRACKS = stream({
  key: [utf8(), ["utilization:0"]],
  time: [list(float64()), [[0]]],
  first: [list(float64()), [[0]]],
  last: [list(float64()), [[0]]],
  low: [list(float64()), [[0]]],
  high: [list(float64()), [[0]]],
});

export const MINIMAP = stream({
  band: [int32(), [0, 0]],
  column: [int32(), [0, 5]],
  category: [uint8(), [0, 0]],
  share: [float32(), [1, 0.5]],
});

export function refOf(id: number) {
  const { row, start, end } = SLICES[id] as Slice;
  return { slice: id, row, start_ns: start, end_ns: end };
}

function detailsOf(id: number): SliceDetails {
  const { name, category } = SLICES[id] as Slice;
  const follow: SliceDetails["follow"] =
    id === 2 ? [{ kind: "kernel", label: "conv_kernel", target: refOf(6) }] : [];
  return {
    ...refOf(id),
    side: id < HOST_ROWS ? "host" : "device",
    table_row: id < HOST_ROWS ? id : id - HOST_ROWS,
    name,
    category,
    lane: "cpu:1:7",
    self_ns: 1,
    facts: [],
    call_stack: "",
    follow,
    arrows: [],
  };
}

/** The next or the previous match in the order of their starts, as Python counts them. */
function find({ params }: Request) {
  const { search, direction, from, from_ns } = params as {
    search: string;
    direction: number;
    from: number | null;
    from_ns: number;
  };
  const hits = SLICES.flatMap(({ name }, id) => (name.includes(search) ? [id] : [])).sort(
    (a, b) => (SLICES[a] as Slice).start - (SLICES[b] as Slice).start,
  );
  const at = from === null ? -1 : hits.indexOf(from);
  const later = hits.findIndex((id) => (SLICES[id] as Slice).start >= from_ns);
  const next = at >= 0 ? at + direction : later;
  const index = (next + hits.length) % hits.length;
  const hit = direction && hits.length ? refOf(hits[index] as number) : null;
  return { result: { count: hits.length, index: hit ? index + 1 : 0, hit, columns: [1, 3] } };
}

type Answer = (request: Request) => { result?: object; buffers?: ArrayBuffer[]; error?: object };

export const ANSWERS: Partial<Record<Op, Answer>> = {
  timeline: () => ({ result: LAYOUT, buffers: [MINIMAP] }),
  slices: ({ params }) => {
    const { info, table } = windowOf(params);
    return { result: info, buffers: [table, TRACKS] };
  },
  slice: ({ params }) => ({ result: detailsOf(params.slice as number) }),
  find,
  area: () => ({ result: { slices: 0, host: 0, device: 0 }, buffers: [] }),
};
