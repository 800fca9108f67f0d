/** Lists the files and events that were repaired or skipped while reading a profile. */
import type { Context } from "../core/context";
import type { Catalog, TraceInfo } from "../core/protocol/protocol";
import { formatNumber } from "../values/format";

export function skippedList({ h }: Context, info: TraceInfo | null, catalog: Catalog): HTMLElement {
  const parts: HTMLElement[] = [];
  if (info?.warnings.length) {
    parts.push(
      table(
        h,
        "Notes on this file",
        ["Kind", "Count", "First example"],
        info.warnings.map((w) => [w.kind, formatNumber(w.count), w.example ?? ""]),
      ),
    );
  }
  if (catalog.skipped.length) {
    const more = (catalog.skipped_count ?? 0) - catalog.skipped.length;
    parts.push(
      table(
        h,
        more > 0
          ? `Files that were skipped, the first ${catalog.skipped.length}`
          : "Files that were skipped",
        ["File", "Reason"],
        catalog.skipped.map((file) => [file.path, file.reason]),
      ),
    );
  }
  return h("div", {}, parts);
}

function table(h: Context["h"], title: string, heads: string[], rows: string[][]): HTMLElement {
  const width = (head: string) =>
    head === "Count" ? "width:72px" : head === "Kind" ? "width:28%" : "";
  return h(
    "section",
    {},
    h("h3", {}, title),
    h(
      "div",
      { class: "nbp-frame", tabindex: 0, role: "region", "aria-label": title },
      h(
        "table",
        { "aria-label": title },
        h(
          "colgroup",
          {},
          heads.map((head) => h("col", { style: width(head) })),
        ),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            heads.map((head) => h("th", { scope: "col" }, head)),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map((row) =>
            h(
              "tr",
              {},
              row.map((text) => h("td", {}, text)),
            ),
          ),
        ),
      ),
    ),
  );
}
