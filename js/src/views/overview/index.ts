/** The entry of the script of the overview view: its panel. */
import type { ViewModule } from "../../core/views/viewmodule";
import { OverviewPanel } from "./panel";

export default { Panel: OverviewPanel } satisfies ViewModule;
