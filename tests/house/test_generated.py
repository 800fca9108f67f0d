"""Generated files and pages are up to date with the specs and the public API."""

from __future__ import annotations

import inspect
import runpy
from pathlib import Path

import pytest

import nbprof
from nbprof.tables import TABLES
from nbprof.tables.methods import docstring, has, method

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("script", ["generate.py", "generate_reference.py"])
def test_generated_files_are_up_to_date(script: str) -> None:
    outputs = runpy.run_path(str(DOCS / script))["outputs"]()
    assert outputs
    for path, text in outputs.items():
        assert path.read_text("utf-8") == text, f"{path} is out of date; run: make generated"


@pytest.mark.parametrize("owner", ["trace", "profile"])
def test_written_methods_are_those_that_extensions_get(owner: str) -> None:
    for spec in TABLES.specs():
        written = getattr(
            {"trace": nbprof.Trace, "profile": nbprof.Profile}[owner], spec.name, None
        )
        assert (written is not None) == has(owner, spec)
        if written is not None:
            made = method(owner, spec)
            assert inspect.cleandoc(written.__doc__) == docstring(owner, spec) == made.__doc__
            ours, theirs = (inspect.signature(one).parameters.values() for one in (written, made))
            assert [(p.name, p.default) for p in ours] == [(p.name, p.default) for p in theirs]


def test_specs_name_columns_that_there_are() -> None:
    for spec in TABLES.specs():
        named = {column.name for column in spec.all_columns}
        assert all(column.meaning for column in spec.all_columns)
        assert {*spec.keys} <= named, spec.name
        for group_by in spec.groupings:
            columns = spec.columns_under(group_by=group_by)
            assert columns is None or {c.name for c in columns} <= named, spec.name
        if not spec.columns_for:
            assert {*spec.sort, *spec.sums} <= named, spec.name
