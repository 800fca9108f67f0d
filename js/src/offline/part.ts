/** What a view answers and draws without Python: the default export of its `offline.ts`. */
import type { Figure, Op } from "../core/protocol";
import type { Snapshot } from "../core/snapshot";
import type { Answer, Params, TableSource } from "./answerer";
import type { Look } from "./look";

export interface Question {
  snapshot: Snapshot;
  /** The tables under the filter that is asked for. */
  source: TableSource;
  /** Whether that is the filter of the snapshot. */
  kept: boolean;
  params: Params;
  look: Look;
}

/** A question about the view that asks it, with what answers of all views have in common. */
export interface OwnQuestion extends Question {
  figures(): Promise<Record<string, Figure>>;
  /** The cards of the view; their tables are the buffers from `first` on. */
  cards(first: number): Promise<{ cards: unknown[]; buffers: Uint8Array[] }>;
}

export interface OfflinePart {
  /** The charts of the view beside those of its cards, by name; null for one that cannot be drawn. */
  charts?(question: Question): Promise<Record<string, Figure | null>>;
  /** The operations that only this view asks for. */
  operations?: Partial<Record<Op, (question: OwnQuestion) => Promise<Answer>>>;
  /** Of what is asked of `Answers.lacks` what this view knows about: why not, or "" where it can. */
  lacks?(snapshot: Snapshot, what: string): string | undefined;
}
