"""Spoiled recordings of every format harm nobody: a few always, hundreds in the long tests."""

from __future__ import annotations

import os
import secrets
import sys
from random import Random
from typing import TYPE_CHECKING

import pytest

from nbprof.sources import discover
from nbprof.sources.recorders import RECORDERS
from tests.fuzz.checks import Failure
from tests.fuzz.mutation.recording import spoiled
from tests.fuzz.pool import Outcome, described, run_cases
from tests.fuzz.seeds import NAMES, seed

if TYPE_CHECKING:
    from pathlib import Path

#: The seed of `make test` and of CI, and how many cases they run; `make test-rest` runs more.
FIXED, FEW, MANY = 1, 12, 600

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="sets limits of Linux")


def _fails(outcomes: list[Outcome], number: int) -> str:
    return described(number, outcomes)


@linux
def test_a_few_cases() -> None:
    done: list[Outcome] = []
    failed = run_cases(FIXED, range(FEW), 1, done.append)
    assert len(done) == FEW
    assert _fails(failed, FIXED) == ""


@linux
def test_many_new_cases() -> None:
    # CI judges a commit, so there the cases are always the same.
    number = FIXED if os.environ.get("CI") else secrets.randbelow(1 << 32)
    print(f"seed {number}")
    failed = run_cases(number, range(MANY), os.cpu_count() or 1, lambda _: None)
    assert _fails(failed, number) == "", f"seed {number}"


def test_every_format_is_spoiled(tmp_path: Path) -> None:
    chance = Random(1)
    for name in NAMES:
        plain = {path: content.encode() for path, content in seed(name).items()}
        assert any(spoiled(seed(name), chance) != plain for _ in range(3))
        assert plain == {path: content.encode() for path, content in seed(name).items()}
    formats = set()
    for name in NAMES:
        for path, content in seed(name).items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_bytes(content.encode())
        formats |= {file.format for file in discover(tmp_path / name).files}
    assert formats == set(RECORDERS.names())


def test_a_failure_says_how_to_repeat_it() -> None:
    failed = [Outcome(3, 0.1, [Failure("load", "ValueError here", "Traceback\nValueError")])]
    assert "--seed 7 --case 3" in described(7, failed)
