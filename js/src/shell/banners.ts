/** Banners above the widget: kernel disconnected, files that could not be read, a rejected value. */
import type { Context } from "../core/context";
import { fill } from "../core/dom";
import type { Catalog } from "../core/protocol/protocol";
import { signal } from "../core/state/signals";
import { banner, button } from "../parts/states";
import { plural } from "../values/format";

export class Banners {
  readonly el: HTMLElement;
  #dismissed = signal<ReadonlySet<string>>(new Set());
  #listed = signal(false);

  constructor(
    private readonly ctx: Context,
    private readonly events: { details(): void; retry(): void },
  ) {
    this.el = ctx.h("div", { "aria-live": "polite" });
  }

  update(catalog: Catalog | null): void {
    const { h, session } = this.ctx;
    const shown: HTMLElement[] = [];
    if (!session.router.connected) shown.push(this.#disconnected());
    const broken = (catalog?.skipped ?? []).filter(
      (file) => !/no trace|not a trace|no profile/i.test(file.reason),
    );
    if (broken.length && !this.#dismissed.value.has("skipped")) {
      const words = `${plural(broken.length, "file")} could not be read. The others are shown.`;
      shown.push(
        banner(
          h,
          "var(--sev-medium)",
          h("span", {}, words),
          button(h, "Details", () => this.events.details(), "quiet"),
          this.#dismiss("skipped"),
        ),
      );
    }
    const { notice } = session;
    if (notice && !this.#dismissed.value.has(notice.message)) {
      shown.push(
        banner(
          h,
          "var(--sev-high)",
          h(
            "span",
            {},
            h("b", { class: "nbp-strong" }, "Not accepted. "),
            notice.message,
            " ",
            notice.hint,
          ),
          this.#dismiss(notice.message),
        ),
      );
    }
    fill(this.el, ...shown);
  }

  /** The banner for a missing kernel, which says what still works. */
  #disconnected(): HTMLElement {
    const { h, session } = this.ctx;
    const fromSaved = !session.router.heard && (session.kept || session.unreadable);
    const left = session.kept?.saved.header.left_out ?? [];
    const [badge, words] = fromSaved
      ? [session.model.page ? "Page" : "Saved state: not connected", this.#ofSaved(left)]
      : ["Disconnected.", "The last results are shown. Run the cell again to filter."];
    const more = left.length > 1 && fromSaved && this.#offline(this.#leftOutButton());
    const list =
      this.#listed.value &&
      more &&
      h(
        "ul",
        {},
        left.map((sentence) => h("li", {}, sentence)),
      );
    const again = () => this.events.retry();
    return banner(
      h,
      "var(--nbp-line-strong)",
      h(
        "span",
        {},
        h("b", { class: fromSaved ? "nbp-badge" : "nbp-strong" }, badge),
        " ",
        words,
        list || null,
      ),
      more || null,
      !session.model.page && this.#offline(button(h, "Try again", again, "quiet")),
    );
  }

  #ofSaved(left: readonly string[]): string {
    const { session } = this.ctx;
    if (session.unreadable)
      return `The saved state cannot be read: ${session.unreadable} ${session.again}`;
    const only = left.length === 1 ? left : [];
    const words = session.kept?.lacks("filter:steps")
      ? "The data here can be sorted, searched and copied."
      : "The data here can be sorted, searched, filtered by step and name, and copied.";
    const rest = session.model.page
      ? "For everything else, open the profile in a notebook with nbprof."
      : session.again.replace(/\.$/, " for everything else.");
    return [words, ...only, rest].join(" ");
  }

  #leftOutButton(): HTMLButtonElement {
    const toggle = () => {
      this.#listed.value = !this.#listed.value;
    };
    const more = button(this.ctx.h, "Show what is left out", toggle, "quiet");
    more.setAttribute("aria-expanded", String(this.#listed.value));
    return more;
  }

  #dismiss(key: string): HTMLButtonElement {
    const hide = button(
      this.ctx.h,
      "Hide",
      () => {
        this.#dismissed.value = new Set([...this.#dismissed.value, key]);
      },
      "quiet",
    );
    hide.style.marginLeft = "0";
    return this.#offline(hide);
  }

  #offline(element: HTMLButtonElement): HTMLButtonElement {
    element.dataset.offline = "";
    return element;
  }
}
