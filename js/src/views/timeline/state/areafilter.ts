/** Makes a selected range the filter of every view, or removes that filter. */
import type { Context } from "../../../core/context";
import type { Area } from "./types";

export function filterToArea({ session, announce }: Context, area: Area | null): void {
  if (!session.router.connected) return;
  const set = session.get("filter")?.time_us;
  const wanted: [number, number] | null = area && [area.start_ns / 1e3, area.end_ns / 1e3];
  if (!wanted && !set) return;
  const back = !wanted || (set !== undefined && set.join() === wanted.join());
  session.setFilter({ time_us: back ? null : wanted });
  announce(back ? "Time filter removed" : "Everything filtered to the range");
}
