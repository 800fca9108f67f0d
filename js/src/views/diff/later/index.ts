/** The second script of the diff view: compares under other filters on a page, without Python. */
import { overviewUnder } from "./overview";
import { tableUnder } from "./tables";

const later = { overviewUnder, tableUnder };

/** What the script exports. */
export type Later = typeof later;

export default later;
