/**
 * Exports the panes around the canvas of the timeline.
 *
 * From top to bottom: `Toolbar` (which opens the lanes menu), the frame with the canvas,
 * `SlicePane`, `Foot` (with the table view). `Tip` and `Help` are over all of it and must be children
 * of the element `.nbp-tl`. Each has `el` and `update()`.
 */
export { Foot } from "./footer";
export { Help } from "./help";
export { SlicePane } from "./slice/slicepane";
export { Tip } from "./tip";
export { Toolbar } from "./toolbar";
