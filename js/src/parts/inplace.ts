/** `watchPlace`: watches the position of an element, to close its popup when it moves. */

/**
 * @param more - what else must stay the same
 * @param gone - called once, when the element has moved or is out of sight
 * @returns stops watching
 */
export function watchPlace(el: Element, more: () => unknown, gone: () => void): () => void {
  const place = () => {
    const { x, y, width } = el.getBoundingClientRect(); // all 0 where it is hidden
    return [x, y, width, more()].join();
  };
  const before = place();
  let frame = 0;
  const look = () => {
    frame = requestAnimationFrame(() => (place() === before ? look() : gone()));
  };
  look();
  return () => cancelAnimationFrame(frame);
}
