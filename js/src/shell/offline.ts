/** Without a kernel little can be asked for, but everything can still be read and copied. */
import { setAttributes } from "../core/dom";

/**
 * Turn off what needs Python, and on again; what stands in `[data-offline]` sees to itself.
 *
 * @param lacks - where answers are kept: says why something that `data-needs` names cannot be done;
 *   without it all needs Python
 */
export function setOffline(
  root: HTMLElement,
  offline: boolean,
  lacks?: (what: string) => string | undefined,
): void {
  root.toggleAttribute("data-disconnected", offline);
  const why = (element: Element): string | undefined => {
    if (!offline) return undefined;
    if (!lacks) return "";
    const needs = element.closest<HTMLElement>("[data-needs]")?.dataset.needs;
    return needs === undefined ? undefined : lacks(needs);
  };
  for (const field of root.querySelectorAll<HTMLButtonElement>("button, select, input")) {
    if (field.closest("[data-offline]")) continue;
    const reason = why(field);
    if (reason !== undefined && !field.disabled) {
      field.disabled = true;
      field.dataset.wasOn = "";
      if (field.matches("button")) explain(field, reason);
    } else if (reason === undefined && field.dataset.wasOn !== undefined) {
      field.disabled = false;
      delete field.dataset.wasOn;
      if (field.matches("button")) explain(field, "");
    }
  }
  for (const field of root.querySelectorAll<HTMLElement>(".nbp-field")) {
    if (field.closest("[data-offline]")) continue;
    const reason = why(field);
    field.toggleAttribute("data-off", reason !== undefined);
    setAttributes(field, { "aria-disabled": reason === undefined ? null : "true" });
    explain(field, reason ?? "");
  }
}

/** A title, as what is turned off gets no tip of its own. */
function explain(field: HTMLElement, reason: string): void {
  setAttributes(field, { title: reason || null });
}
