"""Skips a test with a message where a program is missing, or fails it where it is required."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """End a test whose tool is not there; NBPROF_REQUIRE_BROWSER makes that a failure."""
    if os.environ.get("NBPROF_REQUIRE_BROWSER"):
        pytest.fail(f"NBPROF_REQUIRE_BROWSER is set, and there is {what}", pytrace=False)
    pytest.skip(f"there is {what}")
