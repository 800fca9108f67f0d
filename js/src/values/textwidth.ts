/** Measures the width of text on a canvas; estimates it where there is none. */

const ESTIMATE = 6.2;
let context: CanvasRenderingContext2D | null | undefined;

export function textMeasure(font: string): (text: string) => number {
  if (context === undefined) {
    try {
      context = document.createElement("canvas").getContext("2d");
    } catch {
      context = null;
    }
  }
  const canvas = context;
  if (!canvas) return (text) => text.length * ESTIMATE;
  return (text) => {
    canvas.font = font;
    return canvas.measureText(text).width;
  };
}
