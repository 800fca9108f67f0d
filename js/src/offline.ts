/** Without a kernel nothing can be asked for, but everything can still be read and copied. */
import { setAttributes } from "./dom";

/** Turn off what needs Python, and on again; what stands in `[data-offline]` sees to itself. */
export function setOffline(root: HTMLElement, offline: boolean): void {
  root.toggleAttribute("data-disconnected", offline);
  for (const field of root.querySelectorAll<HTMLButtonElement>("button, select, input")) {
    if (field.closest("[data-offline]")) continue;
    if (offline && !field.disabled) {
      field.disabled = true;
      field.dataset.wasOn = "";
    } else if (!offline && field.dataset.wasOn !== undefined) {
      field.disabled = false;
      delete field.dataset.wasOn;
    }
  }
  for (const field of root.querySelectorAll(".nbp-field")) {
    if (field.closest("[data-offline]")) continue;
    field.toggleAttribute("data-off", offline);
    setAttributes(field, { "aria-disabled": offline ? "true" : null });
  }
}
