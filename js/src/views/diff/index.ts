/** The entry of the script of the diff view: its panel and styles. */
import "./looks";
import type { ViewModule } from "../../core/views/viewmodule";
import { DiffPanel } from "./panel";
import css from "./style.css";

export default { Panel: DiffPanel, css } satisfies ViewModule;
