/** Links of steps in small tables: a click selects a step as in charts, Enter filters to it. */

import type { Context } from "../core/context";
import { type Child, setAttributes } from "../core/dom";
import { toggled, useOf } from "../core/state/selecting";
import { watch } from "../core/state/signals";
import { DASH } from "../values/format";

/** A link that selects a step; Enter makes the selection the filter. */
export function stepLink(ctx: Context, step: number | null): Child {
  if (step === null) return DASH;
  const { h, session } = ctx;
  const select = (add: boolean, keep = false) => {
    const before = session.get("selection") ?? [];
    if (keep && before.some((key) => key.step === step)) return;
    session.set({ selection: toggled(before, { step }, add) });
  };
  const label = `Select step ${step}; Enter filters to it`;
  const look = { class: "nbp-link", type: "button", "data-step": step, "aria-label": label };
  return h.on(h("button", look, String(step)), {
    click: (event) => select(event.ctrlKey || event.metaKey || event.shiftKey),
    keydown: (event) => {
      if (event.key === "Escape" && session.get("selection")?.length)
        session.set({ selection: [] });
      else if (event.key === "Enter") {
        select(false, true);
        const use = useOf(session);
        if (use && !use.done) ctx.announce(use.run());
      } else return;
      event.preventDefault();
      event.stopPropagation();
    },
  });
}

/** Mark the selected steps in a table while it is in the document. */
export function markSteps(ctx: Context, table: HTMLElement): void {
  const over = new AbortController();
  let drawn = false;
  watch(() => {
    const steps = new Set((ctx.session.get("selection") ?? []).map((key) => key.step));
    if (drawn && !table.isConnected) return over.abort();
    drawn = true;
    for (const link of table.querySelectorAll<HTMLElement>("[data-step]")) {
      const on = steps.has(Number(link.dataset.step));
      setAttributes(link, { "aria-pressed": on ? "true" : "false" });
      link.closest("tr")?.classList.toggle("nbp-on", on);
    }
  }, over.signal);
  ctx.signal.addEventListener("abort", () => over.abort(), { signal: over.signal });
}
