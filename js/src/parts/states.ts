/** Creates the elements for loading, empty and error states, banners and links. */
import type { Child, Make } from "../core/dom";
import type { WireError } from "../core/protocol/protocol";

export function button(
  h: Make,
  label: string,
  click: () => void,
  look: "plain" | "primary" | "quiet" = "plain",
): HTMLButtonElement {
  const element = h("button", { class: "nbp-button", type: "button", "data-look": look }, label);
  return h.on(element, { click });
}

export function link(h: Make, label: string, click: () => void): HTMLButtonElement {
  return h.on(h("button", { class: "nbp-link", type: "button" }, label), { click });
}

/** The placeholder of a result: a title and grey lines. */
export function skeleton(h: Make, title: string, ...actions: Child[]): HTMLElement {
  return h(
    "div",
    { class: "nbp-state" },
    h("strong", {}, title),
    [420, 360, 390].map((width) => h("div", { class: "nbp-bone", style: `width:${width}px` })),
    h("div", { class: "nbp-actions" }, ...actions),
  );
}

/** The empty state: what was looked for, what was found, what to do. */
export function emptyState(h: Make, title: string, text: string, ...actions: Child[]): HTMLElement {
  return h(
    "div",
    { class: "nbp-state" },
    h("strong", {}, title),
    text ? h("p", {}, ...withCode(h, text)) : null,
    actions.length ? h("div", { class: "nbp-actions" }, ...actions) : null,
  );
}

export function errorState(
  h: Make,
  what: string,
  error: WireError,
  again: () => void,
  copy: () => void,
): HTMLElement {
  return h(
    "div",
    { class: "nbp-state", role: "alert" },
    h("strong", {}, h("span", { class: "nbp-error" }, "Error: "), `${what} could not be computed`),
    h("p", {}, error.message),
    error.hint ? h("p", { class: "nbp-muted" }, error.hint) : null,
    h(
      "div",
      { class: "nbp-actions" },
      button(h, "Try again", again, "primary"),
      button(h, "Copy details", copy),
    ),
  );
}

export function banner(h: Make, severity: string, ...content: Child[]): HTMLElement {
  return h("div", { class: "nbp-banner", style: `--severity:${severity}` }, ...content);
}

/** Show calls such as profile(with_stack=True) as code. */
export function withCode(h: Make, text: string): Child[] {
  return text
    .split(/(\b[\w.]+\((?:[^()]|\([^()]*\))*\)|\bon_trace_ready=\S+\))/)
    .map((part, index) => (index % 2 ? h("code", {}, part) : part));
}
