"""Unix users that exist for the duration of a test."""

from __future__ import annotations

import contextlib
import os
import pwd
import secrets
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True)
class User:
    """A user of this machine.

    Attributes
    ----------
    name : str
        As the machine knows it.
    home : Path
        Open to all, as on many machines: what is private has to say so itself.
    password : str
        For the hub alone; the machine lets nobody in with it.
    """

    name: str
    home: Path
    password: str

    def own(self) -> None:
        """Give everything in the home to the user."""
        entry = pwd.getpwnam(self.name)
        for folder, names, files in os.walk(self.home):
            for path in (folder, *(os.path.join(folder, n) for n in (*names, *files))):  # noqa: PTH118
                os.chown(path, entry.pw_uid, entry.pw_gid, follow_symlinks=False)


@contextlib.contextmanager
def users(folder: Path, *letters: str) -> Iterator[list[User]]:
    """Make users with homes in a folder, and remove them afterwards."""
    mark = secrets.token_hex(3)
    made: list[User] = []
    try:
        for letter in letters:
            user = User(f"nbp-{mark}-{letter}", folder / letter, secrets.token_hex(8))
            command = ["useradd", "--no-log-init", "--create-home", "--home-dir", user.home]
            subprocess.run([*command, "--shell", "/bin/sh", user.name], check=True)
            made.append(user)
            user.home.chmod(0o755)
        yield made
    finally:
        for user in made:
            subprocess.run(["userdel", "--force", user.name], check=False, capture_output=True)
