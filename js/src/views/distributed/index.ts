import type { ViewModule } from "../../core/viewmodule";
import { DistributedPanel } from "./panel";

export default { Panel: DistributedPanel } satisfies ViewModule;
