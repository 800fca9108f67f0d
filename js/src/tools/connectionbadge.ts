/** The badge in the top bar that says whether Python can be reached, and the menu behind it. */
import type { Reach } from "../core/connection/connection";
import type { Context } from "../core/context";
import { fill, setAttributes } from "../core/dom";
import { button } from "../parts/states";

/** Badge and sentence of each state but "live". */
interface Words {
  badge: string;
  /** The badge where the widget is not wide. */
  short: string;
  why: string;
}

const WORDS: Record<Exclude<Reach, "live">, Words> = {
  busy: {
    badge: "Kernel is busy",
    short: "Busy",
    why: "It runs something else and answers when that is done.",
  },
  late: {
    badge: "No answer yet",
    short: "Waiting",
    why: "The kernel is busy, or it was restarted. The view waits for the answer.",
  },
  lost: {
    badge: "Reconnecting",
    short: "Waiting",
    why: "The notebook lost its server and tries to reach it again.",
  },
  restarted: {
    badge: "Disconnected",
    short: "Offline",
    why: "The kernel was restarted: run the cell to filter again.",
  },
  gone: {
    badge: "Disconnected",
    short: "Offline",
    why: "The kernel does not answer, or there is none.",
  },
};

export class ConnectionBadge {
  #badge: HTMLButtonElement;
  #sentence: HTMLElement;
  #again: HTMLButtonElement;

  constructor(
    private readonly ctx: Context,
    private readonly el: HTMLElement,
    private readonly retry: () => void,
  ) {
    const { h } = ctx;
    this.#badge = button(h, "", () => this.#open());
    this.#badge.className = "nbp-badge";
    setAttributes(this.#badge, { "aria-haspopup": "true", "aria-expanded": "false" });
    this.#sentence = h("span", { class: "nbp-sentence" });
    this.#again = button(h, "Try again", retry, "quiet");
    el.setAttribute("role", "status");
    fill(el, this.#badge, this.#sentence, this.#again);
  }

  update(): void {
    const { session } = this.ctx;
    const { reach, trying, attempts } = session.connection;
    const live = reach === "live";
    for (const part of this.el.children) (part as HTMLElement).hidden = live;
    if (live) return;
    const text = this.#title(reach);
    const waiting = reach === "busy" || reach === "late" || reach === "lost";
    this.#badge.textContent = `${text} ▾`;
    this.el.dataset.reach = waiting ? "waiting" : "gone";
    const said = this.#words(reach).join(" ");
    this.#sentence.textContent = said;
    this.#sentence.dataset.tip = said;
    this.#again.hidden = session.model.page === true;
    this.#again.disabled = trying.value;
    this.#again.textContent = trying.value ? "Trying" : attempts ? "Try once more" : "Try again";
  }

  /** The badge; the screen may show saved state that no kernel knows. */
  #title(reach: Exclude<Reach, "live">): string {
    const { session } = this.ctx;
    if (session.model.page) return "Page";
    const narrow = this.ctx.width() !== "wide";
    const { badge: words, short } = WORDS[reach];
    if (!this.#fromSaved) return narrow ? short : words;
    if (narrow) return "Saved";
    return reach === "gone" || reach === "restarted"
      ? "Saved state: not connected"
      : `Saved state: ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
  }

  get #fromSaved(): boolean {
    const { router, kept, unreadable } = this.ctx.session;
    return !router.connected && !router.heard && (kept !== null || unreadable !== "");
  }

  /** The reason, the source of the data on screen, and the remedy. */
  #words(reach: Exclude<Reach, "live">): string[] {
    const { session } = this.ctx;
    const { attempts } = session.connection;
    const tried = attempts && !session.connection.trying.value ? [this.#tried(reach)] : [];
    if (this.#fromSaved) {
      const { why } = WORDS[reach];
      const cause = session.model.page || reach === "gone" ? [] : [why];
      return [...tried, ...cause, ...this.#ofSaved(reach)];
    }
    const { why } = WORDS[reach];
    if (reach === "busy" || reach === "late" || reach === "lost") return [...tried, why];
    return [...tried, "The last results are shown.", why, "Run the cell again to filter."];
  }

  #tried(reach: Reach): string {
    return reach === "restarted"
      ? "The kernel was asked again: it does not have this view."
      : reach === "busy"
        ? "The kernel was asked again: it is still busy."
        : "The kernel was asked again: no answer in 5 s.";
  }

  #ofSaved(reach: Reach): string[] {
    const { session } = this.ctx;
    if (session.unreadable)
      return [`The saved state cannot be read: ${session.unreadable} ${session.again}`];
    const left = this.#left;
    const words = session.kept?.lacks("filter:steps")
      ? "The data here can be sorted, searched and copied."
      : "The data here can be sorted, searched, filtered by step and name, and copied.";
    const rest = session.model.page
      ? "For everything else, open the profile in a notebook with nbprof."
      : reach === "busy" || reach === "lost"
        ? "Everything else works once the kernel answers."
        : session.again.replace(/\.$/, " for everything else.");
    return [words, ...(left.length === 1 ? left : []), rest];
  }

  get #left(): readonly string[] {
    return this.ctx.session.kept?.saved.header.left_out ?? [];
  }

  /** Show the full text, the data missing from saved state, and how to reconnect. */
  #open(): void {
    const { h, popup, session } = this.ctx;
    const { reach } = session.connection;
    if (reach === "live") return;
    const left = this.#fromSaved ? this.#left : [];
    const again = h.on(h("button", { type: "button" }, "Try again"), {
      click: () => {
        popup.closeMenu();
        this.retry();
      },
    });
    const words = h("div", { class: "nbp-words" });
    fill(
      words,
      this.#words(reach).map((sentence) => h("p", {}, sentence)),
      left.length > 1 ? h("p", {}, "Left out:") : null,
      left.length > 1
        ? h(
            "ul",
            {},
            left.map((sentence) => h("li", {}, sentence)),
          )
        : null,
    );
    popup.toggleMenu(this.#badge, "Connection", words, session.model.page ? null : again);
  }
}
