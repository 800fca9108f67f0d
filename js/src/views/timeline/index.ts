/** The entry of the script of the timeline view: its panel and styles. */
import type { ViewModule } from "../../core/views/viewmodule";
import { TimelinePanel } from "./panel";
import css from "./styles/index.css";

export default { Panel: TimelinePanel, css, worksOffline: true } satisfies ViewModule;
