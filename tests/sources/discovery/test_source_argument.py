"""A source that is not a path gets an error that says what to pass instead."""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import nbprof
from tests.conftest import ROOT

SAMPLE = ROOT / "samples" / "torch_cpu_convnet"


class Profiler:
    """Looks like a profiler that is still in memory."""

    def export_chrome_trace(self, path: str) -> None: ...


def opened() -> Any:
    with (ROOT / "README.md").open() as file:
        return file


WRONG = {
    "a number": (7, "7, of type int"),
    "nothing": (None, "never set"),
    "bytes": (b"logs", "os.fsdecode"),
    "a DataFrame": (pd.DataFrame({"a": [1]}), "pandas.DataFrame"),
    "a table": (pa.table({"a": [1]}), "pyarrow.Table"),
    "an open file": (opened(), "README.md"),
    "a profiler": (Profiler(), "export_chrome_trace"),
    "a number in a list": ([SAMPLE, 7], "item 1 of the list"),
    "nothing in a dict": ({0: SAMPLE, 1: None}, "rank 1"),
    "a name as a rank": ({"worker0": SAMPLE}, "integers >= 0"),
}


@pytest.mark.parametrize("function", [nbprof.load, nbprof.show, nbprof.KernelsView])
@pytest.mark.parametrize("case", WRONG)
def test_it_says_what_was_passed_and_what_to_pass(case: str, function: Any) -> None:
    source, words = WRONG[case]
    with pytest.raises(nbprof.SourceError) as caught:
        function(source)
    assert words in str(caught.value)
    assert isinstance(caught.value, TypeError)


def test_load_names_what_to_do_with_what_is_open() -> None:
    profile: Any = nbprof.load(SAMPLE)
    for one in (profile, profile.trace()):
        with pytest.raises(nbprof.SourceError, match=r"pass it to nbprof\.show"):
            nbprof.load(one)


def test_paths_of_all_kinds_are_taken() -> None:
    files = [Path(file) for file in sorted(SAMPLE.glob("*.json.gz"))]
    count = len(nbprof.load(str(SAMPLE)))
    assert len(nbprof.load(SAMPLE)) == count
    assert len(nbprof.load(files)) == len(nbprof.load(iter(files))) == len(files)
    assert len(nbprof.load(dict(enumerate(files[:2])))) == 2
    assert len(nbprof.load(iter(files)).refresh()) == len(files)


def test_a_glob_that_repeats_itself_is_no_slower(tmp_path: Path) -> None:
    """`glob` alone finds the file here in 10¹² ways."""
    deep = tmp_path.joinpath(*"abcdefghijklmnop")
    deep.mkdir(parents=True)
    copyfile(next(SAMPLE.glob("*.json.gz")), deep / "rank0.json.gz")
    assert len(nbprof.load(tmp_path / ("**/" * 40 + "*.json.gz"))) == 1
    assert len(nbprof.load(tmp_path / "a" / "**/**/**" / "p" / "**/**")) == 1
