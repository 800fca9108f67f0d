import type { ViewModule } from "../../core/viewmodule";
import { KernelsPanel } from "./panel";

export default { Panel: KernelsPanel } satisfies ViewModule;
