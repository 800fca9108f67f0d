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

/** The path on the server of each file that frames name, once it is known; null if the server lacks it. */
type Paths = Map<string, Promise<string | null>>;

const asked = new WeakMap<Session, Paths>();

interface SourceLink {
  href: string;
  open(from: Element): void;
}

/** Ask which files of some frames the server has; does nothing outside JupyterLab. */
export function findSources(session: Session, frames: readonly Frame[]): void {
  const lab = labPage();
  if (!lab || session.model.page || !session.router.connected) return;
  const paths = pathsOf(session);
  const named = new Set(frames.flatMap((frame) => placeOf(frame)?.file ?? []));
  const files = [...named].filter((file) => !paths.has(file));
  if (!files.length) return;
  const answer = session.router.request<Sources>("sources", { root: lab.serverRoot, files });
  for (const file of files) {
    const path = answer.then(({ result }) => result.files[file] ?? null);
    path.catch(() => paths.delete(file)); // asked again with the next stacks
    paths.set(file, path);
  }
}

/**
 * Call `found` with the link to a frame's source line, once the server is known to have the file.
 *
 * The words of a frame become a link where they stand, and no line is drawn anew for it: a button that
 * is replaced between its press and its release gets no click.
 */
export function watchSource(
  session: Session,
  frame: Frame,
  found: (link: SourceLink) => void,
): void {
  const place = placeOf(frame);
  if (!place) return;
  const link = (path: string | null) => {
    const lab = labPage();
    if (!path || !lab || !session.router.connected) return;
    const id = `#line=${place.line - 1}`; // lines count from 0 in fragments
    found({
      href: `${lab.baseUrl}lab/tree/${encoded(path)}${id}`,
      open: (from) => runInLab(from, "rendermime:handle-local-link", { path, id }),
    });
  };
  const path = asked.get(session)?.get(place.file);
  path?.then(link, () => {}); // else frames stay text
}

function pathsOf(session: Session): Paths {
  const paths: Paths = asked.get(session) ?? new Map();
  asked.set(session, paths);
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
