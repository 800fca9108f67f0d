/** Draws the charts of the operators view without Python. */
import type { Drawing } from "../../chart/drawing";
import { asFigures } from "../../offline/appearance";
import { byName } from "../../offline/charts/byname";
import type { OfflinePart, Question } from "../../offline/offlinepart";

/** Draw self times as donuts, total times as bars with percentages of the sum of self times. */
async function charts({ source, look }: Question) {
  const table = await source.table("operators", "name");
  const found: Record<string, Drawing> = {};
  if (!table?.length) return {};
  for (const side of ["Device", "Host"])
    for (const kind of ["self", "total"]) {
      const [small, title] = [side.toLowerCase(), `${side} ${kind} time`];
      const key = `${small}_${kind}`;
      const whole = {
        text: `% of the ${small} time of all operators`,
        value: table.about.all_sums[`${small}_self_us`] ?? 0,
      };
      const shown = { ...look, width: look.width(key) };
      const drawing = byName(table, `${key}_us`, title, shown, kind === "total" ? whole : null);
      if (drawing) found[key] = drawing;
    }
  return asFigures(found);
}

export default { charts } satisfies OfflinePart;
