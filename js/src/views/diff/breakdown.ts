/** The step of both sides by category, side by side, with the differences. */
import { categoryColor } from "../../chart/categorycolor";
import type { Context } from "../../core/context";
import type { Diff, DiffPart } from "../../core/protocol/protocol";
import { chooseTimeUnit, formatTime, type TimeUnit } from "../../values/format";
import { noiseText, signedPercent, signedTime, verdict } from "./numbers";

/** The sentence about the whole step, and its change. */
export function headline(
  { h, session }: Context,
  { parts = [], per_step }: Diff,
): HTMLElement | null {
  const [whole] = parts;
  if (!whole) return null;
  const { baseline_us, candidate_us, delta_us, delta_pct, noise_pct, change } = whole;
  const unit = chooseTimeUnit([baseline_us, candidate_us], session.get("time_unit") ?? "auto");
  const noise = noise_pct !== null;
  return h(
    "p",
    { class: "nbp-headline", "data-change": change },
    per_step ? "Step " : "Recording ",
    h(
      "strong",
      {},
      `${formatTime(baseline_us, unit)} → ${formatTime(candidate_us, unit)} ${unit.label}`,
    ),
    h("strong", { class: "nbp-change" }, `${signedTime(delta_us, unit)} ${unit.label}`),
    delta_pct !== null && h("span", { class: "nbp-change" }, signedPercent(delta_pct)),
    h(
      "span",
      { class: "nbp-muted" },
      noise ? `noise ${noiseText(noise_pct)}` : "no estimate of the noise",
    ),
    h("span", { class: "nbp-change" }, verdict(change, noise && delta_us !== 0)),
  );
}

/** Both steps as bars on one scale, and a table of their categories. */
export function breakdown(ctx: Context, { parts = [], per_step }: Diff): HTMLElement {
  const { h, session } = ctx;
  const [whole, ...categories] = parts;
  const times = whole ? [whole.baseline_us, whole.candidate_us] : [];
  const unit = chooseTimeUnit(times, session.get("time_unit") ?? "auto");
  const most = Math.max(...times, 1e-9);
  const largest = Math.max(...categories.map((part) => Math.abs(part.delta_us)), 1e-9);
  const what = per_step ? "Step by category" : "Recording by category";
  const bars = (["baseline_us", "candidate_us"] as const).map((side) => {
    const title = side === "baseline_us" ? "Baseline" : "Candidate";
    const filled = categories.filter((part) => part[side] > 0);
    return [
      h("span", { class: "nbp-label" }, title),
      h(
        "span",
        { class: "nbp-stack", role: "img", "aria-label": `${title}: ${shares(filled, side)}` },
        filled.map((part) =>
          h("i", {
            class: part.category === "other" ? "nbp-hatched" : null,
            style: `width:${(100 * part[side]) / most}%;--fill:${colorOf(part)}`,
            "data-tip": `${part.name}: ${formatTime(part[side], unit)} ${unit.label}`,
          }),
        ),
      ),
      h("span", { class: "nbp-num" }, formatTime(whole?.[side] ?? 0, unit)),
    ];
  });
  const head = (label: string, em: string, tip: string | null = null) =>
    h("th", { scope: "col", class: "nbp-num", "data-tip": tip }, `${label} `, h("em", {}, em));
  return h(
    "section",
    { class: "nbp-breakdown" },
    h("div", { class: "nbp-head" }, h("h3", {}, what)),
    h("div", { class: "nbp-stacks" }, bars),
    h(
      "div",
      { class: "nbp-frame", tabindex: 0, role: "region", "aria-label": what },
      h(
        "table",
        { "aria-label": what },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, "Category"),
            head("Baseline", unit.label),
            head("Candidate", unit.label),
            head(
              "Difference",
              unit.label,
              "Candidate minus baseline; muted where it is within twice the noise",
            ),
            head("", "%", "Difference as a share of the baseline"),
            head("Noise", "%", "Standard error of the difference, from the spread over steps"),
          ),
        ),
        h(
          "tbody",
          {},
          parts.map((part, at) => line(ctx, part, at === 0, unit, most, largest)),
        ),
      ),
    ),
  );
}

function line(
  { h }: Context,
  part: DiffPart,
  isWhole: boolean,
  unit: TimeUnit,
  most: number,
  largest: number,
): HTMLElement {
  const { name, baseline_us, candidate_us, delta_us, delta_pct, noise_pct, change } = part;
  const bar = (value: number) =>
    isWhole
      ? null
      : h("i", {
          class: "nbp-minibar",
          style: `width:${(100 * value) / most}%;--fill:${colorOf(part)}`,
        });
  const half = Math.min(50, (50 * Math.abs(delta_us)) / largest);
  const swing = h("i", {
    class: "nbp-swing",
    style: `left:${delta_us < 0 ? 50 - half : 50}%;width:${half}%`,
  });
  return h(
    "tr",
    { class: isWhole ? "nbp-total" : null, "data-change": change },
    h(
      "td",
      {},
      !isWhole && h("span", { class: "nbp-swatch", style: `--fill:${colorOf(part)}` }),
      name,
    ),
    h("td", { class: "nbp-num" }, formatTime(baseline_us, unit), bar(baseline_us)),
    h("td", { class: "nbp-num" }, formatTime(candidate_us, unit), bar(candidate_us)),
    h(
      "td",
      { class: "nbp-num nbp-change" },
      signedTime(delta_us, unit),
      !isWhole && h("span", { class: "nbp-swings" }, swing),
    ),
    h("td", { class: "nbp-num nbp-change" }, signedPercent(delta_pct).replace(/ %$/, "")),
    h("td", { class: "nbp-num nbp-muted" }, noiseText(noise_pct).replace(/ %$/, "")),
  );
}

function colorOf({ name }: { name: string }): string {
  return categoryColor(name);
}

function shares(parts: readonly DiffPart[], side: "baseline_us" | "candidate_us"): string {
  const whole = parts.reduce((sum, part) => sum + part[side], 0);
  return parts.map((part) => `${part.name} ${Math.round((100 * part[side]) / whole)} %`).join(", ");
}
