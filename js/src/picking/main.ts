/** The entry of the script `picking`, which selects the bars and slices of charts. */
import { Picker } from "./picker";

const picking = { Picker };
export type PickingScript = typeof picking;
export default picking;
