/** Links frames of call stacks to their source files in JupyterLab, if its server has them. */
import type { Sources } from "../core/protocol/protocol";
import type { Session } from "../core/state/session";
import type { Frame } from "../values/names";
import { placeOf } from "./frames";

/** The configuration that JupyterLab writes into its page. */
interface LabPage {
  appName?: string;
  serverRoot?: string;
  baseUrl?: string;
}

/** The path on the server of each file that frames name; null if the server lacks it. */
type Paths = Map<string, string | null>;

const known = new WeakMap<Session, Paths>();

interface SourceLink {
  href: string;
  open(from: Element): void;
}

/** Ask which files of some frames the server has; does nothing outside JupyterLab. */
export async function findSources(session: Session, frames: readonly Frame[]): Promise<void> {
  const lab = labPage();
  if (!lab || session.model.page || !session.router.connected) return;
  const paths = pathsOf(session);
  const files = [...new Set(frames.flatMap((frame) => placeOf(frame)?.file ?? []))];
  const asked = files.filter((file) => !paths.has(file));
  if (!asked.length) return;
  const { result } = await session.router.request<Sources>("sources", {
    root: lab.serverRoot,
    files: asked,
  });
  for (const file of asked) paths.set(file, result.files[file] ?? null);
}

/** The link to a frame's source line; undefined where JupyterLab cannot open it. */
export function sourceLink(session: Session, frame: Frame): SourceLink | undefined {
  const place = placeOf(frame);
  const path = place && known.get(session)?.get(place.file);
  const lab = labPage();
  if (!path || !lab || !session.router.connected) return undefined;
  const id = `#line=${place.line - 1}`; // lines count from 0 in fragments
  return {
    href: `${lab.baseUrl}lab/tree/${encoded(path)}${id}`,
    open: (from) => runInLab(from, "rendermime:handle-local-link", { path, id }),
  };
}

function pathsOf(session: Session): Paths {
  const paths = known.get(session) ?? new Map<string, string | null>();
  known.set(session, paths);
  return paths;
}

function labPage(): Required<LabPage> | null {
  try {
    const config = document.getElementById("jupyter-config-data")?.textContent ?? "";
    const { appName = "", serverRoot = "", baseUrl = "" } = JSON.parse(config) as LabPage;
    return appName === "JupyterLab" && serverRoot && baseUrl
      ? { appName, serverRoot, baseUrl }
      : null;
  } catch {
    return null; // not a page of Jupyter
  }
}

function encoded(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** Run a command of JupyterLab as its own outputs do: with an element that names the command. */
function runInLab(from: Element, command: string, args: Record<string, string>): void {
  const link = document.createElement("span");
  link.setAttribute("data-commandlinker-command", command);
  link.setAttribute("data-commandlinker-args", JSON.stringify(args));
  // JupyterLab listens outside the shadow root, which hides click targets inside.
  const { host } = from.getRootNode() as ShadowRoot;
  host.append(link);
  link.click();
  link.remove();
}
