/** The entry of the script of the memory view: its panel and styles. */
import "./looks";
import type { ViewModule } from "../../core/views/viewmodule";
import snapshots from "./allocations/style.css";
import { MemoryPanel } from "./panel";
import css from "./style.css";

export default { Panel: MemoryPanel, css: css + snapshots } satisfies ViewModule;
