/** Types of replies about the timeline; `nbprof/widgets/requests/messages/timeline.py` declares them. */
import type { Layout, SliceRef as SentSlice } from "../../../core/protocol/messages";

export type {
  Arrow,
  Compared,
  Flows,
  Found,
  Group,
  Lane,
  Layout,
  SavedTimeline,
  ShownWorker,
  SliceDetails,
  Step,
  Track,
  WindowInfo,
} from "../../../core/protocol/messages";

/** A reference to a slice; its name is set where it is known without a request. */
export type SliceRef = Omit<SentSlice, "name"> & { name?: string | undefined };

export type FlowKind = NonNullable<Layout["flows"]>[number];
