import type { ViewModule } from "../../core/viewmodule";
import { OverviewPanel } from "./panel";

export default { Panel: OverviewPanel } satisfies ViewModule;
