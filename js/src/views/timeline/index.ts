import type { ViewModule } from "../../core/viewmodule";
import { TimelinePanel } from "./panel";
import css from "./styles/index.css";

export default { Panel: TimelinePanel, css, worksAlone: true } satisfies ViewModule;
