import type { ViewModule } from "../../core/viewmodule";
import { MemoryPanel } from "./panel";
import css from "./style.css";

export default { Panel: MemoryPanel, css } satisfies ViewModule;
