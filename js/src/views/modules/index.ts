/** The entry of the script of the modules view: its panel and styles. */
import "./looks";
import type { ViewModule } from "../../core/views/viewmodule";
import { ModulesPanel } from "./panel";
import css from "./style.css";

export default { Panel: ModulesPanel, css } satisfies ViewModule;
