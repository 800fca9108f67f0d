/** The entry of the script `stacks`: the call stacks that open under the rows of tables. */
import { stackCells } from "./drawing";
import { findSources } from "./sources";
import { StackLines } from "./stacklines";

const stacks = { StackLines, stackCells, findSources };
export type Stacks = typeof stacks;
export default stacks;
