/** The entry of the script of the overview view: its panel and styles. */
import type { ViewModule } from "../../core/views/viewmodule";
import { OverviewPanel } from "./panel";
import css from "./style.css";

export default { Panel: OverviewPanel, css } satisfies ViewModule;
