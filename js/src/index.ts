/** The entry point of the widget: the anywidget module that notebook hosts load. */
import { type InitializeProps, lifetime, type RenderProps } from "./core/anywidget";
import type { Context, Width } from "./core/context";
import { type Make, maker } from "./core/dom";
import { openSavedState } from "./core/saved/opening";
import { Scripts } from "./core/scripts/scripts";
import { Session } from "./core/state/session";
import { effect, signal } from "./core/state/signals";
import { hostTheme, type Theme, watchHostTheme } from "./core/theme";
import { Popup } from "./parts/popup";
import { ProgressLine } from "./parts/progress";
import { Explorer } from "./shell/explorer";
import css from "./styles/index.css";

let views = 0;

/** Called once per model: hosts wrap the model anew for every hook, so it cannot serve as a key. */
function explorer() {
  let shared: Session | null = null;
  return {
    /** Creates what all views of the model share. Awaiting a request here would deadlock. */
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

function renderView(session: Session, el: HTMLElement, life: AbortSignal): void {
  const h = maker(life);
  el.classList.add("nbprof");
  // JupyterLab sees keys as pressed on the host of the shadow root: without this, typing "dd" in a
  // field deletes a cell.
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  const shadow = el.shadowRoot ?? el.attachShadow({ mode: "open" });
  const addStyle = (css: string) => adoptStyle(shadow, h, css);
  addStyle(css);
  const root = h("div", {
    class: "nbp",
    role: "group",
    "aria-label": "Profile",
    "data-width": "wide",
  });
  const live = h("div", { class: "nbp-hidden-text", role: "status", "aria-live": "polite" });
  shadow.append(root);
  const host = signal(hostTheme());
  const theme = (): Theme => {
    const setting = session.get("theme") ?? "auto";
    return setting === "auto" ? host.value : setting;
  };
  /** CSS px; 0 before layout. */
  const size = signal(0);
  const ctx: Context = {
    h,
    session,
    signal: life,
    id: `nbp${++views}`,
    root,
    popup: new Popup(root, h, life),
    progress: new ProgressLine(h),
    addStyle,
    announce: (text) => {
      live.textContent = text;
    },
    width: () => widthClass(size.value),
    room: () =>
      size.value === 0 ? 0 : size.value - (widthClass(size.value) === "narrow" ? 24 : 32) - 2,
    theme,
  };
  // Set right away, because drawing code reads the colours of the theme.
  const dispose = effect(() => {
    root.dataset.theme = theme();
    root.toggleAttribute("data-own", theme() !== host.value);
  });
  life.addEventListener("abort", dispose, { once: true });
  watchHostTheme(() => {
    host.value = hostTheme();
  }, life);
  new Explorer(ctx);
  root.append(live);
  let seen = 0;
  // The element is not in the document while this runs, and may be hidden later.
  const observer = new ResizeObserver(([entry]) => {
    const width = Math.round(entry?.contentRect.width ?? 0);
    if (width === 0 || width === seen) return;
    const set = () => {
      size.value = width;
    };
    root.dataset.width = widthClass(width);
    if (seen === 0) set();
    else settle(set);
    seen = width;
  });
  observer.observe(root);
  const settle = debounced(150, life);
  life.addEventListener("abort", () => {
    observer.disconnect();
    root.remove();
  });
}

function widthClass(width: number): Width {
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
    shadow.append(h("style", {}, css)); // browsers without constructable style sheets
  }
}

export default explorer;
/** Opens saved state without a widget, for tools outside a browser. */
export function open(saved: Uint8Array) {
  return openSavedState(
    saved,
    new Scripts(() => Promise.reject(new Error("There are no scripts."))),
  );
}
