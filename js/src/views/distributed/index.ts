/** The entry of the script of the distributed view: its panel. */
import "./looks";
import type { ViewModule } from "../../core/views/viewmodule";
import { DistributedPanel } from "./panel";

export default { Panel: DistributedPanel } satisfies ViewModule;
