/** Collects rectangles in any order and fills them colour by colour. */

/**
 * Rectangles to fill. Changing the fill style of a canvas costs more than filling a small rectangle,
 * so each colour is set once. Rectangles are stored in typed arrays, linked by colour, which are
 * reused for the next frame, so that drawing creates no garbage.
 */
export class Rects {
  readonly #first: Int32Array;
  #next = new Int32Array(1024);
  /** x, y, width and height of each rectangle. */
  #boxes = new Float64Array(4096);
  #count = 0;

  constructor(colors: number) {
    this.#first = new Int32Array(colors).fill(-1);
  }

  get length(): number {
    return this.#count;
  }

  clear(): void {
    this.#count = 0;
    this.#first.fill(-1);
  }

  add(color: number, x: number, y: number, width: number, height: number): void {
    const at = this.#count;
    if (at === this.#next.length) this.#grow();
    const box = at * 4;
    const boxes = this.#boxes;
    boxes[box] = x;
    boxes[box + 1] = y;
    boxes[box + 2] = width;
    boxes[box + 3] = height;
    this.#next[at] = this.#first[color] as number;
    this.#first[color] = at;
    this.#count = at + 1;
  }

  fill(ctx: CanvasRenderingContext2D, colors: readonly string[]): void {
    const boxes = this.#boxes;
    for (let color = 0; color < this.#first.length; color += 1) {
      let at = this.#first[color] as number;
      if (at < 0) continue;
      ctx.fillStyle = colors[color] as string;
      for (; at >= 0; at = this.#next[at] as number) {
        const box = at * 4;
        ctx.fillRect(
          boxes[box] as number,
          boxes[box + 1] as number,
          boxes[box + 2] as number,
          boxes[box + 3] as number,
        );
      }
    }
  }

  #grow(): void {
    const next = new Int32Array(this.#next.length * 2);
    next.set(this.#next);
    this.#next = next;
    const boxes = new Float64Array(this.#boxes.length * 2);
    boxes.set(this.#boxes);
    this.#boxes = boxes;
  }
}
