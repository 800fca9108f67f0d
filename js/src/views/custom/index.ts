/** The entry of the script of views without a script of their own: the generic panel. */
import type { ViewModule } from "../../core/views/viewmodule";
import { CustomPanel } from "./panel";

export default { Panel: CustomPanel } satisfies ViewModule;
