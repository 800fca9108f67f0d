/** The tooltip of the timeline: describes the item under the pointer, above or below its lane. */

import type { Context } from "../../../core/context";
import { fill } from "../../../core/dom";
import type { UnitChoice } from "../../../values/format";
import { lengthText } from "../../../values/format";
import { displayName, middleCut } from "../../../values/names";
import type { SliceDetails } from "../data/messages";
import { positionChoice } from "../drawing/ticks";
import { blockWords, canZoomInto, ONE_INSTANT, positionText } from "../panes/positiontext";
import type { Hit, Timeline } from "../state/types";
import { DetailsCache } from "./slicedetails";

const DELAY = 120;
/** Distance below the pointer, CSS px, where the lane's position is unknown. */
const BELOW = 20;
const GAP = 6;
/** Largest distance from the pointer, CSS px, since a lane of many rows may end far away. */
const FARTHEST = 120;

/** Facts that the first lines already contain. */
const SAID = /^(start|duration|self|occupancy|queued for|launched by)$/i;
/** Facts that identify a slice rather than describe it, which are left out. */
const MINOR =
  /^(stream|thread|device|process|lane|module|step|call|\w+ (cores|units)|input types|graph node|forward thread|sequence number)$|\bid$|^correlation/i;
const MOST_FACTS = 3;
const LONGEST = 64;
const LONGEST_NAME = 240;

export class Tip {
  readonly el: HTMLElement;
  #cache: DetailsCache;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #slice: number | null = null;
  #drawn = "";

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
  ) {
    this.el = ctx.h("div", {
      class: "nbp-popup nbp-tip nbp-tl-tip",
      role: "tooltip",
      hidden: true,
    });
    this.#cache = new DetailsCache(ctx, timeline, "tip");
    ctx.signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
  }

  update(): void {
    const { hovered, pointer } = this.timeline.state;
    const slice = hovered?.slice && hovered.count === 1 ? hovered.slice.slice : null;
    if (slice !== this.#slice) this.#await(slice);
    const shown = hovered !== null && hovered.count > 0 && pointer !== null;
    this.el.hidden = !shown;
    if (!shown) return;
    this.#draw(hovered);
    this.#place();
  }

  /** Request the details once the pointer rests. */
  #await(slice: number | null): void {
    this.#slice = slice;
    clearTimeout(this.#timer);
    if (slice === null || this.#cache.get(slice)) return;
    this.#timer = setTimeout(() => {
      if (!this.ctx.session.router.connected || this.#cache.get(slice)) return;
      this.#cache.ask(slice).then(
        () => this.update(),
        () => {}, // superseded, or no kernel: keep the text as it is
      );
    }, DELAY);
  }

  #draw(hit: Hit): void {
    const { h, session } = this.ctx;
    const choice = session.get("time_unit") ?? "auto";
    const details = this.#slice === null ? undefined : this.#cache.get(this.#slice);
    const { view } = this.timeline.state;
    const lines =
      hit.count > 1
        ? [blockText(hit, choice)]
        : [
            cut(displayName(hit.name || details?.name || ""), LONGEST_NAME),
            ...sliceLines(hit, details, {
              position: (ns) =>
                positionText(
                  ns,
                  view.end_ns - view.start_ns,
                  positionChoice(this.ctx, this.timeline),
                ),
              length: (ns) => lengthText(ns, choice),
            }),
          ];
    const key = lines.join("\n");
    if (key === this.#drawn) return;
    this.#drawn = key;
    const [title = "", ...more] = lines;
    const first = hit.count > 1 ? title : h("b", {}, title);
    fill(this.el, first, ...more.map((line) => h("div", { class: "nbp-muted" }, line)));
  }

  /** Place the tooltip below the lane, inside its container; above the lane if it would be cut off. */
  #place(): void {
    const { pointer, hoverBox } = this.timeline.state;
    const parent = this.el.offsetParent;
    const canvas = this.el.closest(".nbp-tl")?.querySelector(".nbp-tl-lanes .nbp-tl-canvas");
    if (!pointer || !parent || !canvas) return;
    const room = parent.getBoundingClientRect();
    const at = canvas.getBoundingClientRect();
    const near = hoverBox && hoverBox.bottom - pointer.y <= FARTHEST ? hoverBox : null;
    const bottom = at.top + (near?.bottom ?? pointer.y + BELOW - GAP) + GAP;
    const top = at.top + (near?.top ?? pointer.y) - GAP;
    this.el.style.maxWidth = `${Math.max(160, Math.min(420, room.width - 8))}px`;
    const { offsetWidth: width, offsetHeight: height } = this.el;
    const left = Math.min(at.left - room.left + pointer.x - 24, room.width - width - 4);
    const fits = bottom + height <= innerHeight || top - height < 0;
    this.el.style.left = `${Math.max(4, left)}px`;
    this.el.style.top = `${(fits ? bottom : top - height) - room.top}px`;
  }
}

interface Write {
  position(ns: number): string;
  length(ns: number): string;
}

/** "12 slices, 34 µs busy, mostly kernels, zoom in" */
function blockText(hit: Hit, choice: UnitChoice): string {
  const hint = canZoomInto(hit) ? "zoom in" : ONE_INSTANT;
  return [...blockWords(hit, choice), hint].filter(Boolean).join(", ");
}

function sliceLines({ slice }: Hit, details: SliceDetails | undefined, write: Write): string[] {
  if (!slice) return [];
  const { start_ns, end_ns } = slice;
  const times = [write.position(start_ns), write.length(end_ns - start_ns)];
  if (!details) return [times.join(" · ")];
  const fact = (label: string) =>
    details.facts.find(([known]) => known.toLowerCase() === label)?.[1];
  const { self_ns } = details;
  const occupancy = fact("occupancy");
  if (occupancy) times.push(`${occupancy} occupancy`);
  else if (self_ns !== null && self_ns !== end_ns - start_ns)
    times.push(`${write.length(self_ns)} self`);
  const by = details.follow.find(({ kind }) => kind === "operator")?.label;
  const launched =
    details.side === "device" ? launchText(by ?? fact("launched by"), fact("queued for")) : "";
  return [times.join(" · "), launched, factsText(details)].filter(Boolean);
}

/** "launched by aten::cudnn_batch_norm, queued 215 µs" */
function launchText(by: string | undefined, queued: string | undefined): string {
  const words = [by ? `launched by ${displayName(by)}` : "", queued ? `queued ${queued}` : ""];
  return words.filter(Boolean).join(", ");
}

/** The most informative facts in one line. */
function factsText({ facts }: SliceDetails): string {
  const rest = facts.filter(([label]) => !SAID.test(label) && !MINOR.test(label));
  return rest
    .slice(0, MOST_FACTS)
    .map(([label, value]) => `${label} ${cut(value)}`)
    .join(" · ");
}

function cut(text: string, longest = LONGEST): string {
  return middleCut(text, (shorter) => shorter.length <= longest);
}
