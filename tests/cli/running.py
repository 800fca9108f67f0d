"""Runs the command line in this process or as a program."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Protocol

from tests.conftest import ROOT

PROGRAM = (sys.executable, "-m", "nbprof")


@dataclass(frozen=True)
class Result:
    """How a call ended and what it wrote."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()


class Call(Protocol):
    """The fixture `nbprof`."""

    def __call__(self, *words: object) -> Result: ...


def environment() -> dict[str, str]:
    """Give the environment with the checkout first on the path of modules."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}
