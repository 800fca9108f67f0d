/** Turns an SVG document into a PNG, without a server. */
import type { SvgDocument } from "./document";

/** Pixels for each CSS pixel, so that text stays sharp in slides. */
export const SCALE = 2;

/** @throws Error - the page forbids pictures from memory, or the picture is too large for a canvas */
export async function svgToPng({ text, width, height }: SvgDocument): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(width * SCALE);
    canvas.height = Math.ceil(height * SCALE);
    const pen = canvas.getContext("2d");
    pen?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await pngOf(canvas);
  } finally {
    URL.revokeObjectURL(url);
  }
}

export function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error("The browser could not make a picture of this size."));
    }, "image/png");
  });
}
