/** Makes the lines above an exported chart: title, trace and filter, with their fonts and colours. */
import type { Context } from "../../core/context";
import { chips } from "../../shell/filter/filtertext";

interface Caption {
  title: string;
  /** Trace and filter. */
  lines: string[];
}

export function captionOf({ session }: Pick<Context, "session">, title: string): Caption {
  const { run, worker, span, filter } = session.state;
  const trace = [run, worker, span > 1 ? `span ${span}` : ""].filter(Boolean).join(" · ");
  const filtered = chips(filter, null).map(({ text }) => text);
  return {
    title,
    lines: [trace, filtered.length ? `Filter: ${filtered.join(", ")}` : ""].filter(Boolean),
  };
}

/** Colours and fonts of the theme on screen. */
interface Ink {
  background: string;
  text: string;
  muted: string;
  font: string;
}

export function inkOf({ root }: Pick<Context, "root">): Ink {
  const style = getComputedStyle(root);
  const token = (name: string, otherwise: string) =>
    style.getPropertyValue(name).trim() || otherwise;
  return {
    background: token("--nbp-bg", "#ffffff"),
    text: token("--nbp-fg", "#000000"),
    muted: token("--nbp-muted", "#666666"),
    font: style.fontFamily || "sans-serif",
  };
}

export const EDGE = 12;
const LINE = 16;

/** Height of a caption with the room around it, CSS px. */
export function captionHeight({ lines }: Caption): number {
  return EDGE + LINE * (1 + lines.length) + 8;
}

/** Where the baseline of a line is; the title is line 0. */
export function baseline(line: number): number {
  return EDGE + LINE * (line + 1) - 4;
}
