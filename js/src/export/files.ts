/** Saves files that the browser makes, or that Python writes and sends in parts. */
import type { Context } from "../core/context";
import type { Op } from "../core/protocol/protocol";

/** Delay before the object URL of a saved file is revoked, ms: some browsers read it late. */
const READ = 60_000;

export function saveFile(
  name: string,
  parts: readonly (Uint8Array | string | Blob)[],
  type: string,
) {
  const url = URL.createObjectURL(new Blob(parts as BlobPart[], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), READ);
}

/** A name for a file without its suffix: run, worker and title, in letters that any system accepts. */
export function nameOf({ session }: Pick<Context, "session">, title: string): string {
  const { run, worker } = session.state;
  const words = [run, worker, title].map((word) =>
    word.replace(/[^\p{L}\p{N}_-]+/gu, "_").replace(/^_+|_+$/g, ""),
  );
  return words.filter(Boolean).join("-").slice(0, 120) || "chart";
}

/** The parts of a file that Python has written. */
export async function partsOf(
  { session, signal }: Context,
  op: Op,
  params: Record<string, unknown>,
): Promise<{ filename: string; parts: Uint8Array[] }> {
  const pieces: Uint8Array[] = [];
  let filename = "";
  for (let part = 0, parts = 1; part < parts; part += 1) {
    const asked = { ...params, part };
    const { result, buffers } = await session.router.request<{ filename?: string; parts?: number }>(
      op,
      asked,
      { signal },
    );
    filename = result.filename ?? filename;
    parts = result.parts ?? 1;
    if (buffers[0]) pieces.push(buffers[0]);
  }
  return { filename, parts: pieces };
}

export async function savePythonFile(
  ctx: Context,
  op: "trace_file" | "page_file",
  params: Record<string, unknown>,
): Promise<void> {
  const { filename, parts } = await partsOf(ctx, op, params);
  saveFile(filename, parts, filename.endsWith(".html") ? "text/html" : "application/gzip");
}
