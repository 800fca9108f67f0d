/** Folds the frames of a stack, and finds the file of a frame. */
import type { Frame } from "../values/names";

/** Group frames: each user frame alone, consecutive library frames together. */
export function foldStack(frames: readonly Frame[]): Frame[][] {
  const groups: Frame[][] = [];
  for (const frame of frames) {
    const last = groups.at(-1);
    if (last && !frame.user && last[0]?.user === false) last.push(frame);
    else groups.push([frame]);
  }
  return groups;
}

/** The file and line of a frame; null without a file. */
export function placeOf({ text }: Frame): { file: string; line: number } | null {
  const match = /^([^<].*)\((\d+)\): /.exec(text);
  return match ? { file: match[1] as string, line: Number(match[2]) } : null;
}
