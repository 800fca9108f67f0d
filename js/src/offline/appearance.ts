/** Reads from a request how to draw its charts: unit, width, number of slices. */
import type { Drawing } from "../chart/drawing";
import type { Figure } from "../core/protocol/protocol";
import type { UnitChoice } from "../values/format";
import type { Params } from "./answerer";

const WIDTH = 632;

export interface Look {
  unit: UnitChoice;
  top: number | null;
  width(name: string): number;
}

export function lookOf({ unit, top, width }: Params): Look {
  const widths = (typeof width === "object" ? width : { "": width }) as Record<string, number>;
  return {
    unit: (unit ?? "auto") as UnitChoice,
    top: top === null ? null : Number(top ?? 7),
    width: (name) => Math.max(160, widths[name] ?? widths[""] ?? WIDTH),
  };
}

/** Wrap drawings as the figures of a reply. */
export function asFigures(drawings: Record<string, Drawing | null>): Record<string, Figure | null> {
  const entries = Object.entries(drawings);
  return Object.fromEntries(entries.map(([name, one]) => [name, one && { drawing: one }]));
}
