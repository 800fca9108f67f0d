/** Disables buttons of the timeline but keeps them focusable, with the reason as a tooltip. */
import { setAttributes } from "../../../core/dom";
import type { Session } from "../../../core/state/session";

/**
 * Disable a button with a reason, or enable it without one.
 *
 * It stays focusable: pressing "Fit" must not move the focus out of the toolbar, and a reason that
 * cannot be reached cannot be read.
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

/** The reason why something needs Python, and what to do. */
export function needsPython(session: Session, what: string): string {
  return `${what} needs Python. ${session.again}`;
}
