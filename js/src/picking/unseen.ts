/** Spares BokehJS and the browser the work for what a figure never shows: looks equal to the plain one, empty elements and layers. */

/** The part of a view of a glyph that its renderer calls, in any version of BokehJS. */
type Glyph = Record<string, ((...values: unknown[]) => unknown) | undefined>;

interface Sheet {
  el?: Element;
  replace(css: string): void;
}

interface Renderer {
  model: Record<string, unknown>;
  glyph?: Glyph;
  position?: Sheet;
  update_position?(): void;
}

interface Layer {
  el: HTMLElement;
  finish(): void;
}

/** A view of a figure, as far as it is needed here. */
export interface Renderers {
  renderer_views?: Map<unknown, object>;
  canvas_view?: { overlays?: Layer };
}

const COMPUTE = ["set_data", "set_visuals", "after_visuals", "after_lazy_visuals", "map_data"];

/**
 * BokehJS has four more glyphs for each renderer: for rows selected or not, for a muted renderer and for
 * fewer rows. It computes all of them whenever data comes or the figure is painted. A look that
 * Python did not set is that of the plain glyph, which paints in its place. Renderers also have
 * elements, in which nothing is, and get a new style sheet for their place with each painting. Titles
 * and axes get one, too, mostly that which they have.
 */
export function spareUnseen(figure?: Renderers): void {
  if (!figure) return;
  for (const view of renderersOf(figure)) {
    const { glyph, model, position, update_position } = view;
    if (position) keepEqual(position);
    if (!glyph) continue;
    const paint = glyph.paint ? "paint" : "render"; // in old versions
    for (const [name, look] of Object.entries(view)) {
      if (!name.endsWith("_glyph") || !look || model[name]) continue;
      for (const method of COMPUTE) look[method] = () => {};
      look[paint] = (...values: unknown[]) => glyph[paint]?.(...values);
    }
    if (!update_position) continue;
    position?.replace(":host{display:none}");
    view.update_position = () => {};
  }
  hideEmptyLayer(figure);
}

function renderersOf({ renderer_views }: Renderers): Renderer[] {
  return [...(renderer_views?.values() ?? [])] as Renderer[];
}

/** Replace the text of a style sheet only by another; the browser would compute styles anew for an equal one, too. */
function keepEqual(sheet: Sheet): void {
  const { replace } = sheet;
  sheet.replace = (css) => {
    if (css !== sheet.el?.textContent) replace.call(sheet, css);
  };
}

/**
 * Hide the canvas over the figure while nothing is painted there, such as the box of a tool. The browser
 * takes two layers for it, even if it is empty, and pays for each layer in every frame.
 */
function hideEmptyLayer(figure: Renderers): void {
  const layer = figure.canvas_view?.overlays;
  if (!layer?.finish) return;
  const { finish } = layer;
  const hide = () => {
    const used = renderersOf(figure).some(
      ({ model }) => model.level === "overlay" && model.visible,
    );
    layer.el.style.display = used ? "" : "none";
  };
  layer.finish = () => {
    finish.call(layer);
    hide();
  };
  hide();
}
