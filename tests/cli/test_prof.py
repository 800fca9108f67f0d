"""``nbprof prof``: PyProf's report from profiles and from PyProf's dictionaries."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.cli import main
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLE = str(ROOT / "tests/samples/gpu_resnet_synthetic")
LINE = (
    "{'kDuration': 5, 'dir': 'fprop', 'op': ['mm'], 'mod': ['torch'], 'kShortName': 'gemm',"
    " 'kLongName': 'gemm<1>', 'grid': (1, 2, 3), 'seqId': [4], 'marker': [\"{'mod': 'torch',"
    " 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (2, 3), 'dtype': 'float16'},"
    " {'name': '', 'type': 'tensor', 'shape': (3, 4), 'dtype': 'float16'}]}\"]}\n"
)


def test_its_rows_are_those_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["prof", SAMPLE, "--worker", "worker0", "--span", "1", "--csv", "-c", "idx,op,sil"])
        == 0
    )
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    table = nbprof.load(SAMPLE).trace().kernel_launches(names="pyprof")
    assert rows[0] == ["Idx", "Op", "Sil(ns)"]
    columns = (table[name].to_pylist() for name in ("idx", "op", "sil"))
    assert rows[1:] == [[str(cell) for cell in row] for row in zip(*columns, strict=True)]


def test_the_report_of_a_plain_trace_is_that_of_its_launches() -> None:
    trace = nbprof.load(SAMPLE).trace().filter(steps=3)
    launches = trace.kernel_launches().to_pylist()
    report = trace.kernel_launches(names="pyprof").to_pylist()
    assert len(report) == len(launches) > 100
    words = {"forward": "fprop", "backward": "bprop", "optimizer": "optim", None: "-"}
    for number, (row, launch) in enumerate(zip(report, launches, strict=True), 1):
        assert row["idx"] == number
        assert row["dir"] == words[launch["direction"]]
        assert row["sil"] == round(launch["duration_us"] * 1000)
        operator = launch["operator"] or launch["launched_by"]
        assert operator in (f"{row['mod']}::{row['op']}", row["op"])
        assert row["layer"].rpartition(":")[2] == (launch["module"] or "-")
        assert row["grid"] == launch["grid"].strip("[]").replace(" ", "")
    assert {"0", "1", "-"} >= {row["tc"] for row in report}


@pytest.mark.parametrize("width", [64, 80, 137])
def test_lines_fit_the_width(capsys: pytest.CaptureFixture[str], width: int) -> None:
    assert main(["prof", SAMPLE, "--steps", "3", "-w", str(width)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) == width
    assert lines[0].split()[0] == "Idx"


def test_fields_are_separated_by_blanks_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prof", SAMPLE, "--steps", "3", "-c", "kernel,flops,params,trace"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {len(line.split(" ")) for line in lines} == {4}


@pytest.fixture
def standard_input(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_dictionaries_on_standard_input(
    capsys: pytest.CaptureFixture[str], standard_input: Callable[[str], None]
) -> None:
    standard_input(LINE + "junk\n" + LINE.replace("fprop", "bprop").replace('["', '[][:0] or ["'))
    columns = "idx,seq,op,kernel,params,grid,tc,flops,bytes"
    assert main(["prof", "-", "--csv", "-c", columns]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1] == '"1","4","mm","gemm","M=4,N=2,K=3,fp16,","1,2,3","0","48","52"'
    assert "2 lines left out; the first: line 2: no Python dictionary." in err


def test_a_backward_kernel_has_the_call_of_the_forward_one(
    capsys: pytest.CaptureFixture[str], standard_input: Callable[[str], None]
) -> None:
    backward = "{'kDuration': 9, 'dir': 'bprop', 'op': ['Mm'], 'seqId': [4], 'kShortName': 'k'}\n"
    standard_input(LINE + backward)
    assert main(["prof", "-", "--csv", "-c", "dir,op,flops"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ['"fprop","mm","48"', '"bprop","mm","48"']


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["-", "--csv"], 1, "has no dictionary of PyProf's parser"),
        ([SAMPLE, "-c", "idx,flop"], 2, "There is no column 'flop'; there are idx, seq"),
        ([SAMPLE, "-w", "20"], 2, "need a width of 64, not 20"),
        ([SAMPLE, "-w", "80", "--csv"], 2, "not allowed with"),
        (["/nowhere"], 1, "nothing exists at /nowhere"),
    ],
)
def test_errors(
    arguments: list[str],
    status: int,
    words: str,
    capsys: pytest.CaptureFixture[str],
    standard_input: Any,
) -> None:
    standard_input("{'kDuration': 5}\n")
    assert main(["prof", *arguments]) == status
    assert words in capsys.readouterr().err
