/** Draws the charts of the operators view without Python. */
import type { Drawing } from "../../chart/drawing";
import { asFigures } from "../../offline/appearance";
import { byName } from "../../offline/charts/byname";
import type { OfflinePart, Question } from "../../offline/offlinepart";
import { texts } from "../../offline/tables/tables";

/** Draw self times as donuts, total times as bars with percentages of the sum of self times. */
async function charts({ source, around, look }: Question) {
  const filtered = await source.table("operators", "name");
  const every = await around("name")?.table("operators", "name");
  const table = every ?? filtered;
  const drawings: Record<string, Drawing> = {};
  if (!filtered || !table?.length) return {};
  const names = new Set(texts(filtered, "name"));
  const isKept = every ? (name: string) => names.has(name) : null;
  for (const side of ["Device", "Host"])
    for (const kind of ["self", "total"]) {
      const [small, title] = [side.toLowerCase(), `${side} ${kind} time`];
      const key = `${small}_${kind}`;
      const whole = {
        text: `% of the ${small} time of all operators`,
        value: table.about.all_sums[`${small}_self_us`] ?? 0,
      };
      const shown = { ...look, width: look.width(key) };
      const against = kind === "total" ? whole : null;
      const drawing = byName(table, `${key}_us`, title, shown, against, isKept);
      if (drawing) drawings[key] = drawing;
    }
  return asFigures(drawings);
}

export default { charts } satisfies OfflinePart;
