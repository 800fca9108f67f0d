/**
 * What stands around the canvas of the timeline.
 *
 * From top to bottom: `Toolbar` (which opens the menu of the lanes itself), the frame with the
 * canvas, `SlicePane`, `Foot` (with the table behind the canvas). `Tip` and `Help` lie over all of
 * it and belong directly into the element `.nbp-tl`. Each has `el` and `update()`.
 */
export { Foot } from "./foot";
export { Help } from "./help";
export { SlicePane } from "./slicepane";
export { Tip } from "./tip";
export { Toolbar } from "./toolbar";
