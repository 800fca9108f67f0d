/** The entry of the script of the kernels view: its panel. */
import type { ViewModule } from "../../core/views/viewmodule";
import { KernelsPanel } from "./panel";

export default { Panel: KernelsPanel } satisfies ViewModule;
