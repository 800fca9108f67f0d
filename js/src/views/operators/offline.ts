/** Draws the charts of the operators view without Python. */
import type { Drawing } from "../../chart/drawing";
import { asFigures } from "../../offline/appearance";
import { amongNames, byName } from "../../offline/charts/byname";
import type { OfflinePart, Question } from "../../offline/offlinepart";

/** Draw self times as donuts, total times as bars with percentages of the sum of self times. */
async function charts(question: Question) {
  const { look } = question;
  const { table, isKept } = await amongNames(question, "operators");
  const drawings: Record<string, Drawing> = {};
  if (!table?.length) return {};
  const { sums, whole_sums = sums } = table.about;
  for (const side of ["Device", "Host"])
    for (const kind of ["self", "total"]) {
      const [small, title] = [side.toLowerCase(), `${side} ${kind} time`];
      const own = `${small}_self_us`;
      if (!whole_sums[own]) continue; // no operator ever takes time on this side
      const key = `${small}_${kind}`;
      const whole = {
        text: "% of the self time of all operators",
        value: table.about.all_sums[own] ?? 0,
      };
      const shown = { ...look, width: look.width(key) };
      const against = kind === "total" ? whole : null;
      const drawing = byName(table, `${key}_us`, title, shown, against, isKept);
      if (drawing) drawings[key] = drawing;
    }
  return asFigures(drawings);
}

export default { charts } satisfies OfflinePart;
