/** A timeline that only notes what it is told, and something to show in its panes. */

import type { Layout, SliceDetails } from "../../../src/views/timeline/data/messages";
import { NOTHING } from "../../../src/views/timeline/state/holder";
import type { Timeline, TimelineState } from "../../../src/views/timeline/state/types";

export const LAYOUT: Layout = {
  group_by: "thread",
  start_ns: 0,
  end_ns: 1_065_600_000,
  host_rows: 50_000,
  groups: [
    { key: "process:25738", label: "python 25738", detail: "CPU, 2 threads" },
    { key: "device:0", label: "GPU 0", detail: "Tesla V100-DGXS-32GB, 1 stream" },
  ],
  lanes: [
    lane("cpu:25738:25738", "process:25738", "Thread 25738", "main", 40_000),
    lane("cpu:25738:25772", "process:25738", "Thread 25772", "autograd", 1),
    lane("gpu:0:7", "device:0", "Stream 7", "", 12_345),
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
  steps: [{ step: 5, start_ns: 0, end_ns: 170_000_000, device: null }],
  slices: 52_346,
  moved: 0,
  minimap: { columns: 1200, bands: [] },
};

function lane(key: string, group: string, label: string, detail: string, slices: number) {
  const place = { first_row: 0, depths: 1, moved: 0, tid: null, device: null, stream: null };
  const kind = key.startsWith("gpu") ? ("stream" as const) : ("thread" as const);
  return { key, group, label, detail, slices, kind, ...place };
}

export const KERNEL: SliceDetails = {
  slice: 50_007,
  side: "device",
  table_row: 7,
  name: "void volta_scudnn_128x64_relu_small_nn_v1<float>(int, float const*)",
  category: "kernel",
  lane: "gpu:0:7",
  row: 9,
  start_ns: 431_169_000,
  end_ns: 431_444_000,
  self_ns: null,
  facts: [
    ["Queued for", "616 µs"],
    ["Stream", "GPU 0, stream 7"],
    ["Grid", "[784, 1, 1]"],
    ["Block", "[128, 1, 1]"],
    ["Registers", "128 a thread"],
    ["Occupancy", "25.0 %"],
  ],
  call_stack: "",
  follow: [
    { kind: "next", label: "433.521 ms", target: target(50_020) },
    { kind: "operator", label: "aten::cudnn_convolution", target: target(70) },
    { kind: "launch", label: "cudaLaunchKernel", target: target(71) },
    { kind: "backward", label: "CudnnConvolutionBackward", target: target(90) },
  ],
  arrows: [],
};

export const OPERATOR: SliceDetails = {
  ...KERNEL,
  slice: 70,
  side: "host",
  table_row: 70,
  name: "aten::<b>conv2d</b>",
  category: "operator",
  lane: "cpu:25738:25738",
  start_ns: 430_000_000,
  end_ns: 430_500_000,
  self_ns: 120_300,
  facts: [
    ["Duration", "500 µs"],
    ["Input shapes", "[[32, 3, 224, 224], [64, 3, 7, 7]]"],
    ["Thread", "25738, main"],
  ],
  call_stack: "torch/nn/modules/conv.py(1): forward;train.py(43): <module>;runpy.py(9): run",
  slot: 3,
  follow: [],
};

export function target(slice: number) {
  return { slice, row: 3, start_ns: 10, end_ns: 20 };
}

export function refOf({ slice, row, start_ns, end_ns }: SliceDetails) {
  return { slice, row, start_ns, end_ns };
}

export const STATE: TimelineState = {
  ...NOTHING,
  layout: LAYOUT,
  view: { start_ns: 425_600_000, end_ns: 431_600_000 },
};

type OwnAction = Exclude<keyof Timeline, "state" | "subscribe" | "selectionKeys" | "lanes">;
type LaneAction = "collapseAll" | "toggleHidden" | "togglePinned" | "showAll";
type Action = OwnAction | LaneAction;
const ACTIONS: OwnAction[] = [
  "setView",
  "zoom",
  "pan",
  "fit",
  "zoomTo",
  "zoomToSelection",
  "goTo",
  "select",
  "selectArea",
  "filterToArea",
  "setSearch",
  "findNext",
  "follow",
  "toggleMeasure",
  "toggleHelp",
  "resetLanes",
  "setGroupBy",
];
const LANE_ACTIONS: LaneAction[] = ["collapseAll", "toggleHidden", "togglePinned", "showAll"];

export interface FakeTimeline extends Timeline {
  state: TimelineState;
  /** What was called, with what. */
  calls: [Action, ...unknown[]][];
  /** Called after every action. */
  acted: (action: Action, ...values: unknown[]) => void;
}

export function fakeTimeline(changes: Partial<TimelineState> = {}): FakeTimeline {
  const fake = {
    state: { ...STATE, ...changes },
    calls: [],
    acted: () => {},
    subscribe: () => {},
    selectionKeys: () => [],
    notes: { marks: [], all: [] },
    lanes: {},
  } as unknown as FakeTimeline;
  const note =
    (name: Action) =>
    (...values: unknown[]) => {
      fake.calls.push([name, ...values]);
      fake.acted(name, ...values);
    };
  for (const name of ACTIONS) Object.assign(fake, { [name]: note(name) });
  for (const name of LANE_ACTIONS) Object.assign(fake.lanes, { [name]: note(name) });
  return fake;
}
