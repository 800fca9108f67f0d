/** The entry of the script `spreads`: how values are spread, in the header of a table of many rows. */
import { spreadsOf } from "./bins";
import { SpreadRow } from "./spreadrow";

const spreads = { SpreadRow, spreadsOf };
export type SpreadScript = typeof spreads;
export default spreads;
