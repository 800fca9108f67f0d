/** Writes what a saved notebook keeps, as Python would. */

export interface Entry {
  about?: unknown;
  parts?: ArrayBuffer[];
}

/** The bytes of saved state, as `nbprof/widgets/saved/writer.py` writes them. */
export function bytes(entries: Record<string, Entry>, head: object = {}): Uint8Array {
  const stored: Uint8Array[] = [];
  const parts: number[][] = [];
  let end = 0;
  const named = Object.entries(entries).map(([name, { about, parts: own = [] }]) => {
    const first = stored.length;
    for (const part of own) {
      stored.push(new Uint8Array(part));
      parts.push([end, part.byteLength, 0]);
      end += Math.ceil(part.byteLength / 8) * 8;
    }
    return [name, { about, parts: own.map((_, at) => first + at) }];
  });
  const header = {
    version: 3,
    nbprof: "0.9",
    key: ["resnet50", "worker0", 1],
    filter: {},
    entries: Object.fromEntries(named),
    parts,
    left_out: ["One thing.", "Another thing."],
    limits: { max_bytes: 1 },
    ...head,
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = Math.ceil((12 + text.length) / 8) * 8;
  const whole = new Uint8Array(start + end);
  whole.set(new TextEncoder().encode("NBPSNAP1"));
  new DataView(whole.buffer).setUint32(8, text.length, true);
  whole.set(text, 12);
  stored.forEach((part, at) => {
    whole.set(part, start + (parts[at]?.[0] ?? 0));
  });
  return whole;
}

/** The bytes as a trait has them. */
export const view = (data: Uint8Array) => new DataView(data.buffer as ArrayBuffer);
