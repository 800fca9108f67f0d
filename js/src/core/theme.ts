/** Detects whether the notebook host is light or dark, and watches for changes. */

export type Theme = "light" | "dark";
export type ThemeWish = Theme | "auto";

/** Read the host's theme; JupyterLab, VS Code, marimo and Colab mark it differently. */
export function hostTheme(): Theme {
  const { body, documentElement: html } = document;
  const lab = body.dataset.jpThemeLight;
  if (lab !== undefined) return lab === "false" ? "dark" : "light";
  if (body.classList.contains("vscode-dark") || body.classList.contains("vscode-high-contrast")) {
    return "dark";
  }
  if (body.classList.contains("vscode-light")) return "light";
  const words = [html.getAttribute("theme"), html.dataset.theme, body.dataset.theme];
  for (const word of words) if (word === "dark" || word === "light") return word;
  if (html.classList.contains("dark") || body.classList.contains("dark")) return "dark";
  return globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Call `changed` whenever the host may have changed its theme. */
export function watchHostTheme(changed: () => void, signal: AbortSignal): void {
  const observer = new MutationObserver(changed);
  const options = {
    attributes: true,
    attributeFilter: ["class", "data-jp-theme-light", "data-jp-theme-name", "data-theme", "theme"],
  };
  observer.observe(document.body, options);
  observer.observe(document.documentElement, options);
  signal.addEventListener("abort", () => observer.disconnect(), { once: true });
  globalThis
    .matchMedia?.("(prefers-color-scheme: dark)")
    .addEventListener?.("change", changed, { signal });
}
