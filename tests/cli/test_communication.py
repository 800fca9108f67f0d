"""``--communication``: user rules for communication names on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import nbprof as package

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.running import Call


def communication(call: Call, *words: object) -> float:
    result = call("table", *words, "device_time", "--worker", "w0", "--format", "json")
    assert result.status == 0, result.err
    (row,) = json.loads(result.text)
    found: float = row["communication_us"]
    return found


def test_tables_follow_rules_and_only_those_of_the_call(nbprof: Call, logdir: Path) -> None:
    plain = communication(nbprof, logdir)
    assert communication(nbprof, logdir, "--communication", "GEMM") > plain
    both = communication(
        nbprof, logdir, "--communication", "/^void gemm/", "--communication", "HYPERLINK"
    )
    assert both > communication(nbprof, logdir, "--communication", "GEMM")
    assert communication(nbprof, logdir) == plain
    assert package.options.communication_names == ()


@pytest.mark.parametrize("rule", ["/(/", ""])
@pytest.mark.parametrize("command", [("info",), ("table", "steps"), ("html", "-o", "x.html")])
def test_what_cannot_be_a_rule_is_an_error_of_usage(
    nbprof: Call, logdir: Path, command: tuple[str, ...], rule: str
) -> None:
    name, *rest = command
    result = nbprof(name, logdir, *rest, "--communication", rule)
    assert result.status == 2
    assert "argument --communication" in result.err
    assert "regular expression" in result.err


def test_info_and_pages_say_so(nbprof: Call, logdir: Path, tmp_path: Path) -> None:
    result = nbprof("info", logdir, "--communication", "gemm", "--communication", "tpyo")
    assert "gemm (3 device events), tpyo (matches nothing here)" in " ".join(result.text.split())
    assert "user-defined" not in nbprof("info", logdir).text
    page = tmp_path / "page.html"
    assert nbprof("html", logdir, "-o", page, "--communication", "gemm").status == 0
    assert "gemm (3 device events)" in page.read_text("utf-8")
