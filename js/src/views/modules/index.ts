import type { ViewModule } from "../../core/viewmodule";
import { ModulesPanel } from "./panel";
import css from "./style.css";

export default { Panel: ModulesPanel, css } satisfies ViewModule;
