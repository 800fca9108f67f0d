/** The list under the name field: names that contain the typed text, longest time first. */
import type { Context } from "../core/context";
import { fill, setAttributes } from "../core/dom";
import type { Names } from "../core/protocol/protocol";
import { formatDuration } from "../values/format";
import { displayName, exactPattern, middleCut } from "../values/names";
import { textMeasure } from "../values/textwidth";

/** How many names are listed, and the room for one, CSS px. */
const MOST = 12;
const ROOM = 320;
/** A pause in typing before names are asked for, ms. */
const CALM = 120;

export class Suggestions {
  #el: HTMLElement;
  #found: Names["names"] = [];
  #at = -1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  constructor(
    private readonly ctx: Context,
    private readonly input: HTMLInputElement,
    under: HTMLElement,
    private readonly choose: (name: string, pattern: string) => void,
  ) {
    const { h, id, signal } = ctx;
    this.#el = h("div", {
      class: "nbp-popup nbp-menu nbp-names",
      role: "listbox",
      id: `${id}-names`,
      "aria-label": "Names in this trace",
      hidden: true,
    });
    setAttributes(input, { "aria-controls": this.#el.id });
    under.append(this.#el);
    signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
  }

  /** Request the names that match the typed text. */
  follow(): void {
    clearTimeout(this.#timer);
    const text = this.input.value.trim();
    if (text === "" || text.startsWith("/")) this.close();
    else this.#timer = setTimeout(() => void this.#ask(text), CALM);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.#el.hidden = true;
    this.#at = -1;
    setAttributes(this.input, { "aria-expanded": "false", "aria-activedescendant": null });
  }

  /** Handle a key of the field; return whether it was for the list. */
  key(event: KeyboardEvent): boolean {
    const { key } = event;
    if (this.#el.hidden) {
      if (key === "Enter") this.close(); // also what was asked for and comes late
      if (key !== "ArrowDown") return false;
      this.follow();
    } else if (key === "ArrowDown" || key === "ArrowUp") {
      const count = this.#found.length + 1; // the last place is the field itself
      const step = key === "ArrowDown" ? 1 : -1;
      this.#mark(((this.#at + 1 + step + count) % count) - 1);
    } else if (key === "Escape") this.close();
    else if (key === "Enter" && this.#at >= 0) this.#take(this.#at);
    else {
      if (key === "Enter") this.close();
      return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  async #ask(text: string): Promise<void> {
    this.#asked += 1;
    const turn = this.#asked;
    const { session, id } = this.ctx;
    try {
      const params = { state: session.state, text, limit: MOST };
      const { result } = await session.router.request<Names>("names", params, {
        slot: `${id}:names`,
        signal: this.ctx.signal,
      });
      if (turn === this.#asked) this.#show(result, text);
    } catch {
      if (turn === this.#asked) this.close();
    }
  }

  #show({ names, total }: Names, text: string): void {
    const { h, announce } = this.ctx;
    this.#found = names;
    this.#at = -1;
    const measure = textMeasure("12px sans-serif");
    const lines = names.map(([name, kind, time_us], at) => {
      const shown = middleCut(displayName(name), (cut) => measure(cut) <= ROOM);
      const line = h(
        "div",
        { role: "option", id: `${this.#el.id}-${at}`, "aria-selected": "false", title: name },
        h("span", { class: "nbp-suggested" }, marked(h, shown, text)),
        h("span", { class: "nbp-muted" }, kind),
        h("span", { class: "nbp-muted nbp-num" }, isName(kind) ? formatDuration(time_us) : ""),
      );
      return h.on(line, {
        pointerdown: (event) => event.preventDefault(), // the field keeps the focus
        click: () => this.#take(at),
      });
    });
    const over = total - names.length;
    const more = over > 0 ? `${over} more names contain this` : "";
    fill(this.#el, lines, more ? h("div", { class: "nbp-muted nbp-rest" }, more) : null);
    this.#el.hidden = names.length === 0;
    setAttributes(this.input, {
      "aria-expanded": String(names.length > 0),
      "aria-activedescendant": null,
    });
    announce(names.length ? `${total} names. Arrow down to choose.` : "No such name");
  }

  #mark(at: number): void {
    this.#at = at;
    const lines = this.#el.querySelectorAll("[role=option]");
    lines.forEach((line, place) => {
      setAttributes(line, { "aria-selected": String(place === at) });
      if (place === at) line.scrollIntoView?.({ block: "nearest" });
    });
    setAttributes(this.input, { "aria-activedescendant": lines[at]?.id ?? null });
  }

  #take(at: number): void {
    const [name, kind, number] = this.#found[at] ?? [];
    this.close();
    if (name === undefined || kind === undefined) return;
    if (isName(kind)) this.choose(name, exactPattern([name]));
    else {
      this.choose("", "");
      this.ctx.session.setFilter({ [`${kind}s`]: [number] });
    }
  }
}

/** Whether it is the name of work, not a thread, device or stream that the filter does not list. */
function isName(kind: Names["names"][number][1]): boolean {
  return kind === "operator" || kind === "kernel";
}

/** A name with the typed text in bold. */
function marked(h: Context["h"], name: string, text: string): (string | HTMLElement)[] {
  const at = name.toLowerCase().indexOf(text.toLowerCase());
  if (at < 0) return [name];
  const end = at + text.length;
  return [name.slice(0, at), h("b", {}, name.slice(at, end)), name.slice(end)];
}
