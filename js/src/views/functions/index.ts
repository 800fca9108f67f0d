/** The entry of the script of the functions view: its panel and styles. */
import type { ViewModule } from "../../core/views/viewmodule";
import { FunctionsPanel } from "./panel";
import css from "./style.css";

export default { Panel: FunctionsPanel, css } satisfies ViewModule;
