/** The front-end module of the explorer, as anywidget hosts load it. */
import { type InitializeProps, lifetime, type RenderProps } from "./core/afm";
import { openSnapshot } from "./core/alone";
import type { Context, Width } from "./core/context";
import { type Make, maker } from "./core/dom";
import { Scripts } from "./core/scripts";
import { Session } from "./core/session";
import { hostTheme, type Theme, watchHostTheme } from "./core/theme";
import { Popup } from "./parts/popup";
import { ProgressLine } from "./parts/progress";
import { Explorer } from "./shell/explorer";
import css from "./styles/index.css";

let views = 0;

/** One call a model: hosts wrap the model anew for every hook, so that it is no key to find things by. */
function explorer() {
  let shared: Session | null = null;
  return {
    /** What all views of the model share. A request awaited here would wait for itself. */
    initialize({ model, signal }: InitializeProps): () => void {
      const life = lifetime(signal);
      shared = new Session(model, life.signal);
      return () => life.abort();
    },

    render({ model, el, signal }: RenderProps): () => void {
      const life = lifetime(signal);
      renderView(shared ?? new Session(model, life.signal), el, life.signal);
      return () => life.abort();
    },
  };
}

function renderView(session: Session, el: HTMLElement, signal: AbortSignal): void {
  const h = maker(signal);
  const shadow = el.shadowRoot ?? el.attachShadow({ mode: "open" });
  const addStyle = (css: string) => adoptStyle(shadow, h, css);
  addStyle(css);
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
    signal,
    id: `nbp${++views}`,
    root,
    popup: new Popup(root, h, signal),
    progress: new ProgressLine(h),
    addStyle,
    announce: (text) => {
      live.textContent = text;
    },
    width: () => widthClass(size),
    room: () => (size === 0 ? 0 : size - (widthClass(size) === "narrow" ? 24 : 32) - 2),
    theme,
  };
  const parts = new Explorer(ctx);
  root.append(live);
  const setTheme = () => {
    root.dataset.theme = theme();
    root.toggleAttribute("data-own", theme() !== hostTheme());
  };
  setTheme();
  session.subscribe(setTheme, signal);
  watchHostTheme(() => {
    setTheme();
    session.changed();
  }, signal);
  // The element is not in the document while this runs, and may be hidden later.
  const observer = new ResizeObserver(([entry]) => {
    const width = Math.round(entry?.contentRect.width ?? 0);
    if (width === 0 || width === size) return;
    const before = size;
    size = width;
    root.dataset.width = widthClass(size);
    if (before === 0) parts.update();
    else settle(() => parts.update());
  });
  observer.observe(root);
  const settle = debounced(150, signal);
  signal.addEventListener("abort", () => {
    observer.disconnect();
    root.remove();
  });
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

function adoptStyle(shadow: ShadowRoot, h: Make, css: string): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];
  } catch {
    shadow.append(h("style", {}, css)); // browsers from before constructable style sheets
  }
}

export default explorer;
/** Open what was kept for where there is no Python, without any view; for tools outside a browser. */
export function open(snapshot: Uint8Array) {
  return openSnapshot(snapshot, new Scripts(() => Promise.reject(new Error("There is none."))));
}
