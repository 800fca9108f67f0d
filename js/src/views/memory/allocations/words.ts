/** The sentences about a snapshot: its ends and peak, failed allocations, blocks and holders. */
import type { Blocks, OutOfMemory, Segments } from "../../../core/protocol/protocol";
import {
  chooseTimeUnit,
  formatBytes,
  formatNumber,
  formatPercent,
  formatTime,
  plural,
  type UnitChoice,
} from "../../../values/format";
import { parseStack } from "../../../values/names";
import type { Hit } from "./level";

/** Frames in a tooltip. */
const FRAMES = 8;

export function timeText(time_us: number, choice: UnitChoice): string {
  const unit = chooseTimeUnit([time_us], choice);
  return `${formatTime(time_us, unit)} ${unit.label}`;
}

/** The user's innermost frame of a stack, else the innermost. */
export function ownFrame(stack: string): string {
  const frames = parseStack(stack);
  return (frames.find(({ user }) => user) ?? frames[0])?.text ?? "";
}

/** Memory in use, as the allocator counts it and as the program asked for it. */
export function sizesText(bytes: number, requested: number): string {
  return `${formatBytes(bytes)} allocated (${formatBytes(requested)} requested)`;
}

/** What was there before the recording, what was most, and what stayed. */
export function factTexts(info: Blocks, choice: UnitChoice): string[] {
  const { before, after, peak } = info;
  const there = before.bytes || before.reserved;
  return [
    `Peak of the recording: ${sizesText(peak.bytes, peak.requested)} at ${timeText(peak.time_us, choice)}.`,
    there
      ? `Before it: ${sizesText(before.bytes, before.requested)} in ${plural(before.blocks, "block")}, ${formatBytes(before.reserved)} reserved; earlier use, and any earlier peak, is not in the snapshot.`
      : "Nothing was in use before it.",
    `At its end: ${sizesText(after.bytes, after.requested)} in ${plural(after.blocks, "block")}, ${formatBytes(after.reserved)} reserved.`,
    historyText(info),
  ].filter(Boolean);
}

function historyText({ overwritten, entries, events }: Blocks): string {
  if (!overwritten) return "";
  const most = entries ?? events;
  return `The history keeps its last ${formatNumber(most)} events; older ones were overwritten.`;
}

export function oomText(oom: OutOfMemory, choice: UnitChoice): string {
  const free = oom.free === null ? "" : `, ${formatBytes(oom.free)} was free on the device`;
  return `Out of memory at ${timeText(oom.time_us, choice)}: ${formatBytes(oom.bytes)} was asked for${free}. `;
}

/** How much of what was reserved was free, and why it did not help. */
export function stateText(state: Segments): string {
  const idle = state.reserved - state.occupied;
  const parts = [
    `${sizesText(state.in_use, state.requested)} in ${plural(state.blocks, "block")}`,
    `${formatBytes(state.reserved)} reserved`,
  ];
  if (state.rows)
    parts.push(
      `${formatBytes(idle)} of it free in ${plural(state.gaps, "gap")}, the largest ${formatBytes(state.largest_gap)}`,
    );
  const [count, bytes] = state.outside;
  const outside = count
    ? `; ${plural(count, "block")}, ${formatBytes(bytes)}, in segments that are not recorded`
    : "";
  return `${parts.join(", ")}${outside}.`;
}

export function holderText(state: Segments): string {
  const named = state.holders.slice(0, 3).map((one) => {
    const share = formatPercent((100 * one.bytes) / Math.max(state.in_use, 1));
    return `${one.name.replace(/^.*[\\/]/, "") || "blocks without a stack"} (${formatBytes(one.bytes)}, ${share} %)`;
  });
  return named.length ? `Most is held by ${named.join(", ")}.` : "";
}

/** The tooltip of a block, or of the band of blocks that are not drawn. */
export function hitText(hit: Hit, info: Blocks, choice: UnitChoice): string {
  if ("rest" in hit)
    return `${formatBytes(hit.rest)} in blocks that are not drawn, most of them below ${formatBytes(info.least)}`;
  const { block } = hit;
  const frames = block.stack ? block.stack.split(";").slice(0, FRAMES) : ["no stack was recorded"];
  return [
    [formatBytes(block.bytes), block.category].filter(Boolean).join(", "),
    lifeText(block.start_us, block.end_us, choice),
    ...frames,
  ].join("\n");
}

export function lifeText(start: number | null, end: number | null, choice: UnitChoice): string {
  const from = start === null ? "before the recording" : timeText(start, choice);
  const to = end === null ? "still in use at the end" : timeText(end, choice);
  const life = start === null || end === null ? "" : `, for ${timeText(end - start, choice)}`;
  return start === null && end === null
    ? "allocated before the recording, still in use at the end"
    : `from ${from} to ${to}${life}`.replace("to still", "on, still");
}

/** How many blocks are drawn, and what is left out. */
export function countText(info: Blocks, drawn: number): string {
  const found = info.found;
  if (found !== null && !info.search_valid) return "not a valid expression";
  const of = `${formatNumber(drawn)} of ${plural(info.inside, "block")} drawn, the others summed in grey`;
  return found === null ? of : `${plural(found, "block matches", "blocks match")} · ${of}`;
}
