import type { ViewModule } from "../../core/viewmodule";
import { OperatorsPanel } from "./panel";

export default { Panel: OperatorsPanel } satisfies ViewModule;
