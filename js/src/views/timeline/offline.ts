/** The timeline without Python: it draws what was kept of it by itself, and cannot be searched. */
import type { OfflinePart } from "../../offline/part";

function lacks(_: unknown, what: string): string | undefined {
  return what === "search" ? "Searching the timeline needs Python." : undefined;
}

export default { lacks } satisfies OfflinePart;
