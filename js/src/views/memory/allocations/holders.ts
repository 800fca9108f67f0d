/** `holderList`: who holds memory at a moment, as bars. */
import type { Make } from "../../../core/dom";
import type { Holder } from "../../../core/protocol/protocol";
import { formatBytes, formatPercent, plural } from "../../../values/format";

export function holderList(
  h: Make,
  title: string,
  holders: readonly Holder[],
  whole: number,
  others: number,
): HTMLElement {
  const most = Math.max(...holders.map(({ bytes }) => bytes), 1);
  const rows = holders.map((one) => {
    const name = one.name || "not recorded";
    const old = one.before ? `, ${formatBytes(one.before)} of it from before the recording` : "";
    const tip = `${name}\n${plural(one.blocks, "block")}${old}`;
    return h(
      "tr",
      { "data-tip": tip },
      h("td", {}, name.replace(/^.*[\\/]/, "")),
      h("td", {}, formatBytes(one.bytes)),
      h("td", {}, `${formatPercent((100 * one.bytes) / Math.max(whole, 1))} %`),
      h("td", {}, h("i", { style: `width:${(100 * one.bytes) / most}%` })),
    );
  });
  const rest = others ? h("p", { class: "nbp-muted" }, `and ${plural(others, "other")}`) : null;
  return h("div", {}, h("strong", {}, title), h("table", {}, h("tbody", {}, rows)), rest);
}
