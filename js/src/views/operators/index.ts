/** The entry of the script of the operators view: its panel. */
import type { ViewModule } from "../../core/views/viewmodule";
import { OperatorsPanel } from "./panel";

export default { Panel: OperatorsPanel } satisfies ViewModule;
