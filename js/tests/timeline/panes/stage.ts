/** Panes of the timeline in a document, with a Python that answers at once. */
import { Model } from "../../../dev/host.js";
import type { Context } from "../../../src/core/context";
import { maker } from "../../../src/core/dom";
import type { Request } from "../../../src/core/protocol/protocol";
import { Session } from "../../../src/core/state/session";
import { Popup } from "../../../src/parts/popup";
import { ProgressLine } from "../../../src/parts/progress";
import type { TimelineState } from "../../../src/views/timeline/state/types";
import { arrow, INFO } from "../../fixtures";
import TABS from "../../tabs.json";
import { type FakeTimeline, fakeTimeline, KERNEL } from "./fake";

const SUMMARY = () =>
  arrow({
    side: ["text", ["host", "host", "device"]],
    name: ["text", ["aten::add", "aten::<i>mm</i>", "gemm<float>"]],
    count: ["count", [3, 5, 2]],
    total_us: ["time", [900, 300, 700]],
    self_us: ["time", [100, 300, null]],
    mean_us: ["time", [300, 60, 350]],
  });

export interface Stage {
  ctx: Context;
  model: InstanceType<typeof Model>;
  asked: Request[];
  said: string[];
  close(): void;
}

export function stage(): Stage {
  const life = new AbortController();
  const asked: Request[] = [];
  const said: string[] = [];
  const h = maker(life.signal);
  document.body.replaceChildren();
  const root = document.body.appendChild(h("div", { class: "nbp" }));
  const results: Record<string, [object, ArrayBuffer[]?]> = {
    trace: [{ ...INFO, has: { modules: false }, hints: { modules: "No modules recorded." } }],
    slice: [KERNEL],
    area: [{ slices: 10, host: 8, device: 2 }, [SUMMARY()]],
  };
  const model = new Model({ filter: {}, views: ["timeline"], tabs: TABS }, async (message) => {
    const { method, content } = message as { method: string; content: Request };
    if (method === "update") return [];
    asked.push(content);
    const found = results[content.op];
    if (!found) return [];
    const { id, op, gen } = content;
    const [result, buffers = []] = found;
    return [{ content: { v: 1, id, op, gen, ok: true, result }, buffers }];
  });
  const ctx: Context = {
    h,
    session: new Session(model as never, life.signal),
    signal: life.signal,
    id: "t",
    root,
    popup: new Popup(root, h, life.signal),
    progress: new ProgressLine(h),
    addStyle: () => {},
    announce: (text) => void said.push(text),
    width: () => "wide",
    room: () => 900,
    theme: () => "light",
  };
  return { ctx, model, asked, said, close: () => life.abort() };
}

/** A pane in the document, and a way to change what it shows. */
export function put<P extends { el: HTMLElement; update(): void }>(
  { ctx }: Stage,
  Pane: new (ctx: Context, timeline: FakeTimeline) => P,
  changes: Partial<TimelineState> = {},
) {
  const timeline = fakeTimeline(changes);
  const pane = new Pane(ctx, timeline);
  ctx.root.append(pane.el);
  const set = (more: Partial<TimelineState>) => {
    timeline.state = { ...timeline.state, ...more };
    pane.update();
  };
  pane.update();
  return { pane, timeline, set };
}

/** A button by the start of its words, or by its name. */
export function named(root: HTMLElement, words: string): HTMLButtonElement {
  const buttons = [...root.querySelectorAll("button")];
  const found = buttons.find(
    (button) => button.textContent?.startsWith(words) || aria(button, "label") === words,
  );
  return found as HTMLButtonElement;
}

export function aria(element: Element, name: string): string | null {
  return element.getAttribute(`aria-${name}`);
}

/** Why a button is off; undefined for one that is on. */
export function reason(button: HTMLElement): string | undefined {
  return aria(button, "disabled") === "true" ? button.dataset.tip : undefined;
}

export function press(target: Element, key: string, more = {}): void {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
}
