"""JupyterLab behind a hub: logs a user in and opens their server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.driving.lab import Lab

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.hosts.hub import Hub
    from tests.hosts.users import User

#: A server starts in its own time, behind a page that waits for it.
SPAWN_MS = 120_000


class HubLab(Lab):
    """A page of one user, from logging in to JupyterLab."""

    def __init__(self, browser: Browser, hub: Hub, user: User, pictures: Path) -> None:
        super().__init__(browser, hub.server_of(user), pictures)
        self.user = user
        self.hub = hub

    def log_in(self) -> None:
        """Give name and password, and wait until the server is up and JupyterLab shows."""
        self.page.goto(f"{self.hub.address}/hub/login")
        self.page.locator("#username_input").fill(self.user.name)
        self.page.locator("#password_input").fill(self.user.password)
        self.page.locator("#login_submit").click()
        self.page.wait_for_url(f"{self.address}/lab**", timeout=SPAWN_MS)

    def status_of(self, path: str) -> int:
        """Ask for a page as this user; gives the status of what comes in the end."""
        page = self.context.new_page()
        try:
            reply = page.goto(f"{self.hub.address}{path}")
            assert reply is not None
            return reply.status
        finally:
            page.close()
