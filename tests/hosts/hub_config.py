"""The configuration of the tests' JupyterHub; the test passes values in the environment."""

import json
import os
from typing import Any

from jupyterhub.auth import Authenticator

given = json.loads(os.environ["NBPROF_TEST_HUB"])


class ByPassword(Authenticator):
    """Knows the users that the test made, by the password that it gave them."""

    async def authenticate(self, handler: Any, data: dict[str, str]) -> str | None:  # noqa: ARG002 - theirs
        name = data["username"]
        known = given["passwords"].get(name)
        return name if known is not None and data["password"] == known else None


c = get_config()  # noqa: F821 - traitlets puts it here
c.JupyterHub.authenticator_class = ByPassword
c.Authenticator.allowed_users = set(given["passwords"])
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.JupyterHub.bind_url = given["url"]
c.JupyterHub.hub_ip = "127.0.0.1"
c.JupyterHub.hub_port = given["hub_port"]
c.JupyterHub.db_url = "sqlite:///hub.sqlite"
c.JupyterHub.cleanup_servers = True
c.ConfigurableHTTPProxy.command = given["proxy"]
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{given['proxy_port']}"
c.Spawner.cmd = given["server"]
c.Spawner.args = ["--LabApp.expose_app_in_browser=True", "--LabApp.news_url="]
c.Spawner.default_url = "/lab"
c.Spawner.start_timeout = 120
c.Spawner.http_timeout = 120
# A copied interpreter may look for its library where only root can read.
c.Spawner.environment = {"LD_LIBRARY_PATH": given["libraries"]}
c.Spawner.env_keep = ["LANG", "LC_ALL"]
