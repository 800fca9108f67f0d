/** Paints a part of the screen as a PNG: its canvases, with the texts and fills of other elements. */
import type { Context } from "../../core/context";
import { baseline, captionHeight, captionOf, EDGE, inkOf } from "./caption";
import { pngOf, SCALE } from "./raster";

/** @throws Error - the browser could not make the picture */
export async function paintPicture(ctx: Context, title: string, part: HTMLElement): Promise<Blob> {
  const caption = captionOf(ctx, title);
  const top = captionHeight(caption);
  const box = part.getBoundingClientRect();
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil((box.width + 2 * EDGE) * SCALE);
  canvas.height = Math.ceil((top + box.height + EDGE) * SCALE);
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("The browser could not make a picture.");
  const ink = inkOf(ctx);
  pen.scale(SCALE, SCALE);
  pen.fillStyle = ink.background;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  [caption.title, ...caption.lines].forEach((text, line) => {
    pen.font = line ? `11px ${ink.font}` : `600 13px ${ink.font}`;
    pen.fillStyle = line ? ink.muted : ink.text;
    pen.fillText(text, EDGE, baseline(line));
  });
  pen.translate(EDGE - box.left, top - box.top);
  pen.beginPath();
  pen.rect(box.left, box.top, box.width, box.height);
  pen.clip();
  paint(pen, part);
  return pngOf(canvas);
}

/** Paint an element and its descendants in document order: fills, canvases and texts. */
function paint(pen: CanvasRenderingContext2D, element: Element): void {
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden") return;
  const box = element.getBoundingClientRect();
  pen.save();
  if (style.overflow !== "visible") {
    pen.beginPath();
    pen.rect(box.left, box.top, box.width, box.height);
    pen.clip();
  }
  pen.fillStyle = style.backgroundColor;
  pen.fillRect(box.left, box.top, box.width, box.height);
  if (element instanceof HTMLCanvasElement) {
    if (element.width && element.height)
      pen.drawImage(element, box.left, box.top, box.width, box.height);
  } else {
    for (const child of element.childNodes) {
      if (child instanceof Element) paint(pen, child);
      else if (child instanceof Text) write(pen, child, style);
    }
  }
  pen.restore();
}

/** Write a text at its position on screen, line by line. */
function write(pen: CanvasRenderingContext2D, text: Text, style: CSSStyleDeclaration): void {
  const words = text.data.trim();
  if (!words) return;
  const range = document.createRange();
  range.selectNodeContents(text);
  const box = range.getBoundingClientRect();
  if (!box.width) return;
  pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  pen.fillStyle = style.color;
  pen.textBaseline = "middle";
  pen.fillText(words, box.left, box.top + box.height / 2);
}
