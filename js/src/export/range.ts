/** The time range that is exported as a trace: the selected one, else the one on screen. */
import type { Session } from "../core/state/session";
import { timeText } from "../shell/filter/filtertext";

type Range = [first_us: number, last_us: number];

/** The range in µs; null for the whole trace. */
export function rangeOf(session: Pick<Session, "get">): Range | null {
  return selectedRange(session) ?? session.get("window") ?? session.get("filter")?.time_us ?? null;
}

function selectedRange(session: Pick<Session, "get">): Range | null {
  const [area] = session.get("selection") ?? [];
  const { start_us: first, end_us: last } = area ?? {};
  return typeof first === "number" && typeof last === "number" ? [first, last] : null;
}

export function rangeWords(session: Pick<Session, "get">): string {
  const range = rangeOf(session);
  if (!range) return "Whole trace";
  const [first, last] = range.map(timeText);
  const what = selectedRange(session) ? "Range" : session.get("window") ? "Window" : "Filter";
  return `${what} ${first} to ${last} ms`;
}
