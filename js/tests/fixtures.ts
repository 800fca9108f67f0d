/** A small Python for the tests: tables as Arrow, and answers to the operations of the protocol. */
import {
  bool,
  columnFromArray,
  field,
  float64,
  int64,
  Table,
  tableToIPC,
  utf8,
} from "@uwdata/flechette";
import { Model, open } from "../dev/host.js";
import "./views";
import type { Catalog, Op, Request, TraceInfo } from "../src/core/protocol/protocol";
import TABS from "./tabs.json";

type Cell = string | number | boolean | null;

const TYPES = { text: utf8(), count: int64(), time: float64(), pct: float64(), flag: bool() };
const UNITS = { text: "", count: "", time: "us", pct: "%", flag: "" };
export type Kind = keyof typeof TYPES;

/** An Arrow IPC stream as Python sends it. */
export function arrow(columns: Record<string, [Kind, Cell[]]>): ArrayBuffer {
  const fields = Object.entries(columns).map(([name, [kind]]) =>
    field(
      name,
      TYPES[kind],
      true,
      new Map([
        ["unit", UNITS[kind]],
        ["meaning", `Meaning of ${name}.`],
      ]),
    ),
  );
  const data = Object.values(columns).map(([kind, cells]) => columnFromArray(cells, TYPES[kind]));
  const schema = { version: 4, endianness: 0, fields, metadata: null, dictionaryTypes: new Map() };
  const bytes = tableToIPC(new Table(schema as never, data), { format: "stream" }) as Uint8Array;
  return bytes.slice().buffer as ArrayBuffer;
}

export const NAMES = ["aten::conv2d", "aten::add_", "aten::<b>bold</b>"];

export function operators(names: string[] = NAMES): ArrayBuffer {
  const count = names.map((_, at) => at);
  return arrow({
    name: ["text", names],
    calls: ["count", count.map((at) => 1000 * (at + 1))],
    device_self_us: ["time", count.map((at) => (at === 2 ? null : 125_000 / (at + 1)))],
    device_total_us: ["time", count.map((at) => 250_000 / (at + 1))],
    host_self_us: ["time", count.map((at) => 900 / (at + 1))],
    host_total_us: ["time", count.map((at) => 1800 / (at + 1))],
    tensor_core_eligible: ["flag", count.map((at) => at === 0)],
  });
}

export const CATALOG: Catalog = {
  runs: [
    {
      run: "resnet50",
      workers: [
        {
          worker: "worker0",
          spans: [
            { span: 1, path: "a.json", bytes: 10, format: "PyTorch", device_type: "gpu" },
            { span: 2, path: "b.json", bytes: 10, format: "PyTorch", device_type: "gpu" },
          ],
        },
      ],
    },
    {
      run: "bert",
      workers: [
        {
          worker: "w",
          spans: [{ span: 1, path: "c.json", bytes: 10, format: "PyTorch", device_type: "cpu" }],
        },
      ],
    },
  ],
  skipped: [],
  looked_for: "*.pt.trace.json",
};

export const INFO: TraceInfo = {
  run: "demo",
  worker: "worker0",
  span: 1,
  path: "demo/worker0.pt.trace.json",
  steps: { recorded: true, first: 5, last: 10, count: 6, complete: 6 },
  events: 57504,
  duration_us: 1_065_600,
  threads: [{ tid: 7, label: "main 7" }],
  devices: [{ device: 0, label: "GPU 0" }],
  streams: [7],
  of: {},
  has: { device: true, kernels: true, shapes: false, stacks: true },
  warnings: [{ kind: "repaired", count: 2, example: "bad escape" }],
  labels: {},
  hints: { shapes: "No input shapes in this trace. Record them with profile(record_shapes=True)." },
};

export type Answers = Partial<
  Record<
    Op,
    (request: Request) => { result?: object; buffers?: ArrayBuffer[]; error?: object } | undefined
  >
>;

const PAGE = (request: Request) => ({
  result: {
    total: NAMES.length,
    calls: 6000,
    all: NAMES.length,
    slots: [0, 1, 2],
    maxima: { device_self_us: 125_000, host_self_us: 900 },
    hidden: [],
    sort: request.params.sort ?? ["device_self_us", "desc"],
  },
  buffers: [operators()],
});

const DEFAULTS: Answers = {
  hello: () => ({ result: { protocol: 1 } }),
  catalog: () => ({ result: CATALOG }),
  trace: () => ({ result: INFO }),
  charts: () => ({ result: { figures: {} } }),
  page: PAGE,
  stacks: () => ({
    result: { total: 1, rows: 1 },
    buffers: [
      arrow({
        depth: ["count", [0]],
        frames: ["text", ["train.py(43): <module>;torch/nn/conv.py(1): forward"]],
        calls: ["count", [12]],
        device_self_us: ["time", [1000]],
      }),
    ],
  }),
};

export interface FakePython {
  model: InstanceType<typeof Model>;
  asked: Request[];
  saved: Record<string, unknown>[];
  view: HTMLElement;
  root: HTMLElement;
  /** Draw another view of the same model. */
  again: (el: HTMLElement) => (() => void) | undefined;
  close: () => void;
}

/** Show a widget with a Python that answers at once. */
export function show(
  widget: unknown,
  traits: Record<string, unknown> = {},
  answers: Answers = {},
): FakePython {
  const asked: Request[] = [];
  const saved: Record<string, unknown>[] = [];
  const known = { ...DEFAULTS, ...answers };
  const model = new Model(
    {
      run: "resnet50",
      worker: "worker0",
      span: 1,
      filter: {},
      active: "operators",
      group_by: "name",
      selection: [],
      time_unit: "auto",
      theme: "auto",
      views: ["overview", "operators", "kernels"],
      tabs: TABS,
      ...traits,
    },
    async (message: { method: string; state?: Record<string, unknown>; content?: Request }) => {
      if (message.method === "update") {
        saved.push(message.state ?? {});
        return [];
      }
      const request = message.content as Request;
      asked.push(request);
      const answer = known[request.op]?.(request);
      if (!answer) return [];
      const { id, op, gen } = request;
      const ok = !answer.error;
      const content = { v: 1, id, op, gen, ok, result: answer.result, error: answer.error };
      return [{ content, buffers: answer.buffers ?? [] }];
    },
  );
  const view = document.body.appendChild(document.createElement("div"));
  const opened = open(widget, model);
  opened.view(view);
  const root = view.shadowRoot?.querySelector<HTMLElement>(".nbp") as HTMLElement;
  return { model, asked, saved, view, root, again: opened.view, close: opened.close };
}

export function asked(python: FakePython, op: Op): Request[] {
  return python.asked.filter((request) => request.op === op);
}
