/** The timeline's part of the offline script: says that it cannot be searched without Python. */
import type { OfflinePart } from "../../offline/offlinepart";

function lacks(_: unknown, what: string): string | undefined {
  return what === "search" ? "Searching the timeline needs Python." : undefined;
}

export default { lacks } satisfies OfflinePart;
