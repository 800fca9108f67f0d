"""A local S3 server for tests, with credentials that must never appear."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEY = "AKIAIOSFODNN7EXAMPLE"
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"  # noqa: S105 - the one of the AWS manual
PATIENCE_S = 60


class Server:
    """One that runs."""

    def __init__(self, port: int) -> None:
        from pyarrow.fs import S3FileSystem

        self.endpoint = f"127.0.0.1:{port}"
        self.system = S3FileSystem(
            access_key=KEY,
            secret_key=SECRET,
            scheme="http",
            endpoint_override=self.endpoint,
            region="us-east-1",
            allow_bucket_creation=True,
        )

    def url(self, path: str, secret: str = SECRET) -> str:
        """Return the URL of something there, credentials and all."""
        user = f"{KEY}:{quote(secret, safe='')}"
        return f"s3://{user}@{path}?scheme=http&endpoint_override={self.endpoint}&region=us-east-1"

    def upload(self, folder: Path, path: str) -> None:
        """Copy a directory there."""
        self.system.create_dir(path.split("/", 1)[0])
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                name = f"{path}/{file.relative_to(folder)}"
                with self.system.open_output_stream(name, compression=None) as stream:
                    stream.write(file.read_bytes())


@contextlib.contextmanager
def serving() -> Iterator[Server]:
    """Start a server for the length of a `with`."""
    pytest.importorskip("moto.server", reason="needs moto's server")
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
    )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert process.poll() is None, "the server has ended"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.2)
        yield Server(port)
    finally:
        process.terminate()
        process.wait(10)
