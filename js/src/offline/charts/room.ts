/** Finds room for texts beside points, as `nbprof/charts/points/room.py` does. */

/** Half of the height of a text, and the distance of two texts one above the other. */
const HALF = 6;
const LINE = 13;

interface Disc {
  left: number;
  down: number;
  radius: number;
}

/** The area that texts stay in. */
interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export class Room {
  /** Texts that are placed: left, right, middle. */
  private readonly texts: [number, number, number][] = [];

  constructor(
    private readonly discs: Disc[],
    private readonly area: Area,
  ) {}

  /** Take the first place that is free for a text of this width, and return it. */
  place(wide: number, places: Iterable<[number, number]>): [number, number] | null {
    for (const [start, y] of places) {
      if (!this.isFree(start, start + wide, y)) continue;
      this.texts.push([start, start + wide, y]);
      return [start, y];
    }
    return null;
  }

  private isFree(start: number, end: number, y: number): boolean {
    const { left, right, top, bottom } = this.area;
    if (start < left || end > right || y < top || y > bottom) return false;
    const near = ([from, to, other]: [number, number, number]) =>
      Math.abs(y - other) < LINE && start < to && from < end;
    if (this.texts.some(near)) return false;
    return !this.discs.some((disc) => {
      const across = Math.max(start - disc.left, disc.left - end, 0);
      const up = Math.max(Math.abs(disc.down - y) - HALF, 0);
      return across ** 2 + up ** 2 < disc.radius ** 2;
    });
  }
}
