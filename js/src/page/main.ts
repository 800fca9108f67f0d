/**
 * The entry of the script `page`, which starts the view of an exported page.
 *
 * `nbprof/export/page.py` places it after the core and the other scripts, which store their exports
 * in `globalThis`. The page contains the traits, the saved state, and compressed the scripts that run
 * later or never, such as `patterns`, which compiles regular expressions.
 */
import type { InitializeProps, RenderProps } from "../core/anywidget";
import { PageModel } from "./model";

interface Widget {
  initialize(props: InitializeProps): unknown;
  render(props: RenderProps): unknown;
}

type Page = typeof globalThis & { __nbprofWidget?: () => Widget };

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

function bytesOf(base64: string): DataView {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return new DataView(bytes.buffer);
}

function show(): void {
  const el = document.getElementById("nbprof-view");
  const widget = (globalThis as Page).__nbprofWidget?.();
  if (!el || !widget) throw new Error("This page is incomplete.");
  const traits = JSON.parse(textOf("nbprof-traits")) as Record<string, unknown>;
  const packed = JSON.parse(textOf("nbprof-scripts")) as Record<string, string>;
  const unpacked = Object.entries(packed).map(([name, text]) => [name, bytesOf(text)]);
  const model = new PageModel({
    ...traits,
    snapshot: bytesOf(textOf("nbprof-saved")),
    _scripts: Object.fromEntries(unpacked),
  });
  const { signal } = new AbortController();
  widget.initialize({ model, signal });
  widget.render({ model, el, signal });
  document.getElementById("nbprof-summary")?.remove();
}

show();
