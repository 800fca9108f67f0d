/** The entry of the script `picking`, which selects the bars and slices of charts, and spares BokehJS work. */
import { Picker } from "./picker";
import { spareUnseen } from "./unseen";

const picking = { Picker, spareUnseen };
export type PickingScript = typeof picking;
export default picking;
