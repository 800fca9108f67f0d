/** The entry of the script of the memory view: its panel and styles. */
import type { ViewModule } from "../../core/views/viewmodule";
import { MemoryPanel } from "./panel";
import css from "./style.css";

export default { Panel: MemoryPanel, css } satisfies ViewModule;
