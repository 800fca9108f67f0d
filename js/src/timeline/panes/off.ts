/** Buttons that cannot act now, and say why. */
import { setAttributes } from "../../dom";

/**
 * Turn a button off, or on again where there is no reason.
 *
 * It keeps its place in the order of focus: somebody who has just pressed "Fit" must not be thrown
 * out of the toolbar by it, and a reason that cannot be reached cannot be read.
 */
export function setOff(button: HTMLElement, reason: string | undefined): void {
  setAttributes(button, {
    "aria-disabled": reason ? "true" : null,
    "aria-description": reason,
    "data-tip": reason,
  });
}

export function isOff(button: HTMLElement): boolean {
  return button.getAttribute("aria-disabled") === "true";
}

/** What a lost kernel takes away. */
export function needsKernel(what: string): string {
  return `${what} needs a kernel. Run the cell again.`;
}
