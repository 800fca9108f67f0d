/** Disables the controls that need Python while no kernel is connected. */
import { setAttributes } from "../core/dom";

/**
 * Disable the controls that need Python, or enable them again; those in `[data-offline]` handle it
 * themselves.
 *
 * @param lacks - with saved state: says why something named by `data-needs` cannot be done; without
 *   it everything needs Python
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

/** Set a title, since disabled controls get no tooltip of the widget. */
function explain(field: HTMLElement, reason: string): void {
  setAttributes(field, { title: reason || null });
}
