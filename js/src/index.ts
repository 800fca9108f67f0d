/** The front-end module of the explorer, as anywidget hosts load it. */
import { type InitializeProps, lifetime, type RenderProps } from "./afm";
import type { Context, Width } from "./context";
import { type Make, maker } from "./dom";
import { Explorer } from "./explorer";
import { Popup } from "./popup";
import { ProgressLine } from "./progress";
import { Session } from "./session";
import css from "./styles/index.css";
import { hostTheme, type Theme, watchHostTheme } from "./theme";

const sessions = new WeakMap<object, Session>();
let views = 0;

/** What all views of a model share. A request made here would wait for itself. */
function initialize({ model, signal }: InitializeProps): () => void {
  const life = lifetime(signal);
  sessions.set(model, new Session(model, life.signal));
  return () => life.abort();
}

function render({ model, el, signal }: RenderProps): () => void {
  const life = lifetime(signal);
  // Some hosts wrap the model anew for every view.
  const session = sessions.get(model) ?? new Session(model, life.signal);
  const h = maker(life.signal);
  const shadow = el.shadowRoot ?? el.attachShadow({ mode: "open" });
  adoptStyle(shadow, h);
  const root = h("div", {
    class: "nbp",
    role: "group",
    "aria-label": "Profile",
    "data-lm-suppress-shortcuts": "true",
    "data-width": "wide",
  });
  const live = h("div", { class: "nbp-hidden-text", role: "status", "aria-live": "polite" });
  shadow.append(root);
  const theme = (): Theme => {
    const wish = session.get("theme") ?? "auto";
    return wish === "auto" ? hostTheme() : wish;
  };
  let size = 0;
  const ctx: Context = {
    h,
    session,
    signal: life.signal,
    id: `nbp${++views}`,
    root,
    popup: new Popup(root, h, life.signal),
    progress: new ProgressLine(h),
    announce: (text) => {
      live.textContent = text;
    },
    width: () => widthClass(size),
    room: () => (size === 0 ? 0 : size - (widthClass(size) === "narrow" ? 24 : 32) - 2),
    theme,
  };
  const explorer = new Explorer(ctx);
  root.append(live);
  const setTheme = () => {
    root.dataset.theme = theme();
    root.toggleAttribute("data-own", theme() !== hostTheme());
  };
  setTheme();
  session.subscribe(setTheme, life.signal);
  watchHostTheme(() => {
    setTheme();
    session.changed();
  }, life.signal);
  // The element is not in the document while this runs, and may be hidden later.
  const observer = new ResizeObserver(([entry]) => {
    const width = Math.round(entry?.contentRect.width ?? 0);
    if (width === 0 || width === size) return;
    const before = size;
    size = width;
    root.dataset.width = widthClass(size);
    if (before === 0) explorer.update();
    else settle(() => explorer.update());
  });
  observer.observe(root);
  const settle = debounced(150, life.signal);
  life.signal.addEventListener("abort", () => {
    observer.disconnect();
    root.remove();
  });
  return () => life.abort();
}

export function widthClass(width: number): Width {
  if (width === 0 || width >= 960) return "wide";
  return width >= 560 ? "mid" : "narrow";
}

function debounced(delay: number, signal: AbortSignal): (run: () => void) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  return (run) => {
    clearTimeout(timer);
    timer = setTimeout(run, delay);
  };
}

function adoptStyle(shadow: ShadowRoot, h: Make): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    shadow.adoptedStyleSheets = [sheet];
  } catch {
    shadow.append(h("style", {}, css)); // browsers from before constructable style sheets
  }
}

export default { initialize, render };
