/** `DrawnLines`: the lines of a virtual table that are in the document. */

import { fill, type Make } from "../../core/dom";

type Range = readonly [first: number, count: number];
type MakeLine = (line: number) => HTMLElement;

export class DrawnLines {
  #lines = new Map<number, HTMLElement>();

  /** @param height - of a line, CSS px */
  constructor(
    private readonly h: Make,
    private readonly body: HTMLElement,
    private readonly height: number,
  ) {}

  /** Draw all lines anew, with room for those before and after them. */
  draw(range: Range, length: number, make: MakeLine): void {
    this.#lines = new Map();
    fill(this.body, ...this.#content(range, length, make));
  }

  /**
   * Show other lines of the same rows, and those that have come. Lines that stay are not touched: an
   * element that is replaced or moved between the press and the release of a button gets no click.
   */
  move(range: Range, length: number, make: MakeLine): void {
    const content = this.#content(range, length, make);
    const stays = new Set<Element>(content);
    for (const child of [...this.body.children]) if (!stays.has(child)) child.remove();
    let next = this.body.firstChild;
    for (const element of content) {
      if (element === next) next = next.nextSibling;
      else this.body.insertBefore(element, next);
    }
  }

  #content([first, count]: Range, length: number, make: MakeLine) {
    const before = this.#lines;
    const lines = Array.from({ length: count }, (_, at) => first + at);
    const kept = (line: number) => {
      const one = before.get(line);
      return one?.querySelector(".nbp-wait") ? null : one;
    };
    this.#lines = new Map(lines.map((line) => [line, kept(line) ?? make(line)]));
    return [this.#room(first), ...this.#lines.values(), this.#room(length - first - count)].filter(
      (element) => element !== null,
    );
  }

  #room(lines: number): HTMLElement | null {
    if (lines <= 0) return null;
    const style = `--height:${lines * this.height}px`;
    return this.h("tr", { class: "nbp-spacer", "aria-hidden": "true", style }, this.h("td"));
  }
}
