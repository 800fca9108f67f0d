/** Buttons that cannot act now, and say why. */
import { setAttributes } from "../../../core/dom";
import type { Session } from "../../../core/session";

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

/** What cannot be done without Python, and where it can. */
export function needsPython(session: Session, what: string): string {
  return `${what} needs Python. ${session.again}`;
}
