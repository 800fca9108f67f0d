/** What concerns the whole widget: a lost kernel, files that were not read, a refused value. */
import type { Context } from "./context";
import { fill } from "./dom";
import { plural } from "./format";
import type { Catalog } from "./protocol";
import { banner, button } from "./states";

export class Banners {
  readonly el: HTMLElement;
  #dismissed = new Set<string>();

  constructor(
    private readonly ctx: Context,
    private readonly events: { details(): void; retry(): void },
  ) {
    this.el = ctx.h("div", { "aria-live": "polite" });
  }

  update(catalog: Catalog | null): void {
    const { h, session } = this.ctx;
    const shown: HTMLElement[] = [];
    if (!session.router.connected) {
      shown.push(
        banner(
          h,
          "var(--nbp-line-strong)",
          h(
            "span",
            {},
            h("b", { class: "nbp-strong" }, "Disconnected. "),
            "These are the last results. Run the cell again to filter.",
          ),
          this.#offline(button(h, "Try again", () => this.events.retry(), "quiet")),
        ),
      );
    }
    const broken = (catalog?.skipped ?? []).filter(
      (file) => !/no trace|not a trace|no profile/i.test(file.reason),
    );
    if (broken.length && !this.#dismissed.has("skipped")) {
      const words = `${plural(broken.length, "file")} could not be read. The others are complete.`;
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
    if (notice && !this.#dismissed.has(notice.message)) {
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

  #dismiss(key: string): HTMLButtonElement {
    const hide = button(
      this.ctx.h,
      "Hide",
      () => {
        this.#dismissed.add(key);
        this.ctx.session.changed();
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
