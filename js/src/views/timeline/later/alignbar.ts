/** The bar above the lanes of two runs: what they are aligned at, and choices of another place. */
import type { Context } from "../../../core/context";
import { fill, setAttributes } from "../../../core/dom";
import { sameValue } from "../../../core/state/equality";
import type { Align } from "../../../core/state/traits";
import { button } from "../../../parts/states";
import { formatNumber } from "../../../values/format";
import { displayName } from "../../../values/names";
import type { Compared } from "../data/messages";
import { isOff, needsPython, setOff } from "../panes/disabled";
import { BASELINE } from "../state/scope";
import type { Timeline } from "../state/types";

/** The value of the choice that is no step. */
const NAME = "name";

export class AlignBar {
  /** Children of the bar; the view keeps its place. */
  readonly parts: readonly HTMLElement[];
  #select: HTMLSelectElement;
  #previous: HTMLButtonElement;
  #next: HTMLButtonElement;
  #count: HTMLElement;
  #here: HTMLButtonElement;
  #words: HTMLElement;
  #drawn: unknown;
  /** What the lanes on screen are aligned at; null before the first comparison. */
  #shown: Align | null = null;

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
  ) {
    const { h } = ctx;
    this.#select = h.on(h("select", { "aria-label": "Align both runs at" }), {
      change: () => this.#choose(),
    });
    const turn = (sign: string, name: string, by: number) => {
      const made: HTMLButtonElement = h("button", { type: "button", "aria-label": name }, sign);
      return h.on(made, { click: () => isOff(made) || this.#turn(by) });
    };
    this.#previous = turn("‹", "Align at the previous one", -1);
    this.#next = turn("›", "Align at the next one", 1);
    this.#count = h("span", { class: "nbp-label" });
    this.#here = button(h, "Align at selected slice", () => isOff(this.#here) || this.#alignHere());
    this.#here.dataset.small = "";
    this.#words = h("span", { class: "nbp-muted nbp-tl-alignwords" });
    this.parts = [
      h(
        "label",
        { class: "nbp-field", "data-kind": "select" },
        h("span", {}, "Aligned at"),
        this.#select,
      ),
      h("span", { class: "nbp-segments" }, this.#previous, this.#next),
      this.#count,
      this.#here,
      this.#words,
    ];
  }

  update(): void {
    const { layout, details, selected } = this.timeline.state;
    const compared = layout?.compared;
    const failed = layout?.failed?.[BASELINE];
    for (const part of this.parts) part.hidden = !compared && part !== this.#words;
    if (!compared) {
      this.#shown = null;
      this.#drawn = null;
      this.#say(failed ? `The baseline cannot be shown: ${failed}` : "");
      return;
    }
    const { session } = this.ctx;
    const off = session.router.connected ? undefined : needsPython(session, "Another alignment");
    const { nth, count } = compared;
    setOff(this.#previous, off ?? (nth > 1 ? undefined : "This is the first one."));
    setOff(this.#next, off ?? (nth < count ? undefined : "This is the last one."));
    this.#select.disabled = Boolean(off);
    const known = details?.slice === selected?.slice ? details : null;
    const none = selected ? "Its place is being read." : "Select a slice first.";
    setOff(this.#here, off ?? (known?.align?.name ? undefined : none));
    if (!sameValue(compared, this.#drawn)) this.#draw(compared);
    this.#drawn = compared;
    this.#follow(compared);
  }

  #draw({ baseline, align, steps, place, nth, count, words }: Compared): void {
    const { h } = this.ctx;
    const options = steps.map(([step, other]) => {
      const text = step === other ? `Step ${step}` : `Step ${step} with step ${other}`;
      return h("option", { value: step }, text);
    });
    const named = Boolean(align.name);
    const own = !steps.length || (named && place.toLowerCase() !== `step ${align.step}`);
    const label = steps.length || named ? displayName(place) : "First event";
    if (own) options.push(h("option", { value: NAME }, label));
    fill(this.#select, ...options);
    this.#select.value = own ? NAME : String(steps[nth - 1]?.[0] ?? "");
    const text = count > 1 ? `${formatNumber(nth)} of ${formatNumber(count)}` : "";
    this.#count.textContent = text;
    const { run = "", worker = "" } = baseline;
    this.#say(`Baseline ${run} · ${worker}: ${words}`);
  }

  #say(words: string): void {
    if (this.#words.textContent === words) return;
    this.#words.textContent = words;
    setAttributes(this.#words, { title: words });
  }

  /** Show the place, once it has changed; a window that was saved stays as it was. */
  #follow({ align, at_ns, end_ns }: Compared): void {
    const first = this.#shown === null;
    if (sameValue(this.#shown, align)) return;
    this.#shown = align;
    const asked = Object.keys(align).length > 0;
    if (first && (!asked || this.ctx.session.get("window"))) return;
    this.timeline.zoomTo({ start_ns: at_ns, end_ns });
  }

  #choose(): void {
    const { value } = this.#select;
    if (value !== NAME) this.#set({ step: Number(value) });
  }

  #turn(by: number): void {
    const compared = this.timeline.state.layout?.compared;
    if (!compared) return;
    const { align, steps, nth } = compared;
    if (this.#select.value === NAME) this.#set({ ...align, nth: nth + by });
    else this.#set({ step: steps[nth - 1 + by]?.[0] ?? 0 });
  }

  #alignHere(): void {
    const { align } = this.timeline.state.details ?? {};
    if (align) this.#set(align);
  }

  #set(timeline_align: Align): void {
    this.ctx.session.set({ timeline_align });
  }
}
