"""Actions of a user in JupyterLab: open, run, look, change theme and size."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Error, Locator, Page, Request

#: How long anything may take before a test gives up; a loaded machine with two cores is slow.
PATIENCE_MS = 60_000
LOCAL = {"127.0.0.1", "localhost", ""}
#: Told once per cell run: the state of the kernel and of every cell.
IDLE = """() => {
  const panel = window.jupyterapp.shell.currentWidget;
  const kernel = panel?.context?.sessionContext?.session?.kernel;
  return kernel?.status === 'idle' && !panel.content.widgets.some(
    cell => cell.model.executionState === 'running' || cell.node.textContent.includes('[*]:'));
}"""


def is_local(url: str) -> bool:
    """Whether a request stays on this machine; blob: and data: never leave the page."""
    parts = urlsplit(url)
    return parts.scheme in {"blob", "data", "about"} or (parts.hostname or "") in LOCAL


class Lab:
    """One JupyterLab page; what it asks of other machines, which the browser refuses, is noted."""

    #: DefectLog that are JupyterLab's own: a promise for the subshell of a kernel that went.
    foreign: tuple[str, ...] = ("create_subshell_request",)

    def __init__(self, browser: Browser, address: str, pictures: Path) -> None:
        self.address = address
        self.pictures = pictures
        self.outside: list[str] = []
        self.faults: list[str] = []
        self.context = browser.new_context(viewport={"width": 1400, "height": 1300})
        self.context.set_default_timeout(PATIENCE_MS)
        self.page: Page = self.context.new_page()
        self.page.on("request", self._note)
        self.page.on("pageerror", self._note_fault)

    def _note(self, request: Request) -> None:
        if not is_local(request.url):
            self.outside.append(request.url)

    def _note_fault(self, error: Error) -> None:
        if not any(words in str(error) for words in self.foreign):
            self.faults.append(error.stack or str(error))

    def close(self) -> None:
        """End the kernel of the open notebook and close the page."""
        if self.page.url.startswith(self.address):
            self.call("() => window.jupyterapp?.serviceManager.sessions.shutdownAll()")
        self.context.close()

    # -- notebooks -----------------------------------------------------------------------------

    def open(self, path: str) -> None:
        """Open a notebook, alone in the window, and wait for its kernel."""
        self.page.goto(f"{self.address}/lab/tree/{path}?reset")
        self.page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.context?.isReady"
        )
        self.page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
        self.theme("light")  # the server remembers what the test before chose
        self.page.wait_for_function(IDLE)

    def execute(self, command: str, arguments: dict[str, Any] | None = None) -> None:
        """Run one of JupyterLab's commands."""
        self.call(
            "([id, args]) => window.jupyterapp.commands.execute(id, args ?? {}).then(() => null)",
            command,
            arguments,
        )

    def call(self, function: str, *values: Any) -> Any:
        """Call an asynchronous function in the page; evaluate alone would wait for ever."""
        return self.page.evaluate(
            f"""([values, patience]) => Promise.race([
              Promise.resolve(({function})(values)).then(value => value ?? null),
              new Promise((_, reject) => setTimeout(
                () => reject(new Error('no answer in ' + patience + ' ms')), patience)),
            ])""",
            [values, PATIENCE_MS],
        )

    def run_all(self) -> None:
        """Run every cell and wait until the kernel is idle again; no cell may have failed."""
        self.execute("notebook:run-all-cells")
        self.page.wait_for_function(IDLE)
        errors = self.page.locator('[data-mime-type="application/vnd.jupyter.error"]')
        assert errors.count() == 0, errors.first.inner_text()
        # Older JupyterLab takes cells out of the page that are out of sight.
        self.call("() => window.jupyterapp.shell.currentWidget.content.scrollToItem(0)")

    def save_with_widgets(self, kept: str = '"catalog"') -> None:
        """Save the notebook with the state of its widgets, as the settings menu offers.

        Waits for what views keep for readers, until ``kept`` is in it: views keep more with each
        part of a trace that has been read, and Python sets it some time before the page has it.
        """
        self.execute("@jupyter-widgets/jupyterlab-manager:saveWidgetState")
        self.call(
            """async ([kept]) => {
              const {context} = window.jupyterapp.shell.currentWidget;
              const keeps = model => model.buffers?.some(
                ({path, data}) => path[0] === 'snapshot' && atob(data).includes(kept));
              for (let turn = 0; turn < 300; turn += 1) {
                await context.save();
                const [saved] = Object.values(context.model.getMetadata('widgets') ?? {});
                if (Object.values(saved?.state ?? {}).some(keeps)) return;
                await new Promise(done => setTimeout(done, 100));
              }
              throw new Error('no saved state of a view in the notebook has ' + kept);
            }""",
            kept,
        )
        self.execute("@jupyter-widgets/jupyterlab-manager:saveWidgetState")  # off again

    def reopen_without_kernel(self, path: str) -> None:
        """End the kernel and open the notebook anew, without running anything."""
        self.call("() => window.jupyterapp.serviceManager.sessions.shutdownAll()")
        self.open(path)

    def python(self, code: str) -> str:
        """Run code in the notebook's kernel, apart from its cells; gives what it prints."""
        return self.call(
            """async ([code]) => {
              const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
              const future = kernel.requestExecute({code, store_history: false});
              let text = '', fault = null;
              future.onIOPub = message => {
                const content = message.content;
                if (message.header.msg_type === 'stream') text += content.text;
                if (message.header.msg_type === 'error') fault = content.traceback.join('\\n');
              };
              await future.done;
              if (fault) throw new Error(fault);
              return text.trim();
            }""",
            code,
        )

    # -- looks ---------------------------------------------------------------------------------

    def theme(self, name: str) -> None:
        """Switch JupyterLab's theme, "light" or "dark".

        It shows its splash meanwhile, and two changes while that fades take it away twice, which is
        an error of the page.
        """
        self.execute("apputils:change-theme", {"theme": f"JupyterLab {name.title()}"})
        light = str(name == "light").lower()
        self.page.wait_for_function(
            f"() => document.body.dataset.jpThemeLight === '{light}'"
            " && !document.getElementById('jupyterlab-splash')"
        )

    def resize(self, width: int, height: int = 1300) -> None:
        """Give the window another size in CSS pixels."""
        self.page.set_viewport_size({"width": width, "height": height})

    def widgets(self) -> Locator:
        """Every nbprof widget on the page; shadow roots are looked through."""
        return self.page.locator(".nbp")

    def screenshot(self, name: str, target: Locator | None = None) -> Path:
        """Leave a picture for a person to look at; the name is the file's."""
        assert re.fullmatch(r"[\w.-]+", name)
        self.pictures.mkdir(exist_ok=True)
        path = self.pictures / f"{name}.png"
        (target or self.page).screenshot(path=path, animations="disabled")
        return path
