"""The examples in docstrings run, and every public function and method is used in one."""

from __future__ import annotations

import doctest
import inspect
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.analysis.costs.registry import FORMULAS
from nbprof.tables import TABLES
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PUBLIC = {name: getattr(nbprof, name) for name in nbprof.__all__ if name != "__version__"}
#: Classes whose methods users call; what else is public is described in docs/extending.md.
CALLED = (nbprof.Profile, nbprof.Trace, nbprof.Filter, nbprof.Explorer, type(nbprof.options))
OBJECTS = {
    **{
        f"{cls.__name__}.{name}": value
        for cls in CALLED
        for base in reversed(cls.__mro__)
        if base.__module__.startswith("nbprof")
        for name, value in vars(base).items()
        if not name.startswith("_") and inspect.isfunction(value)
    },
    **PUBLIC,
}


def _names(value: Any) -> dict[str, Any]:
    """Return what an example may use: nbprof, and what is beside the object."""
    return {**vars(sys.modules[getattr(value, "__module__", "nbprof")]), "nbprof": nbprof}


EXAMPLES = {
    name: test
    for name, value in OBJECTS.items()
    for test in [
        doctest.DocTestParser().get_doctest(
            inspect.getdoc(value) or "", _names(value), name, None, 0
        )
    ]
    if test.examples
}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the profiles that examples open."""
    folder = tmp_path_factory.mktemp("examples")
    shutil.copytree(ROOT / "tests/samples/gpu_resnet_synthetic", folder / "logs")
    return folder


@pytest.fixture(autouse=True)
def clean_up(reader: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Work in the reader's folder, and leave no options, tables and formulas behind."""
    monkeypatch.chdir(reader)
    yield
    nbprof.options.reset()
    for registry in (TABLES, FORMULAS):
        for name in registry.names():
            if not registry.is_own(name):
                registry.unregister(name)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run(name: str) -> None:
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    failed = runner.run(EXAMPLES[name], out=said.append).failed
    assert not failed, "".join(said)


def test_every_public_function_is_used_in_an_example() -> None:
    code = "\n".join(example.source for test in EXAMPLES.values() for example in test.examples)
    functions = [name for name, value in OBJECTS.items() if _is_called(name, value)]
    theirs = dir(nbprof.Explorer.__mro__[-2])  # what ipywidgets and traitlets call
    unused = [
        name
        for name in functions
        if f"{name.split('.')[-1]}(" not in code
        and name.split(".")[-1] not in TABLES  # docs/tables.md has an example of each
        and name.split(".")[-1] not in theirs
    ]
    assert unused == []


def _is_called(name: str, value: Any) -> bool:
    if inspect.isfunction(value):
        return name not in {"Explorer.open", "Explorer.set_state"}  # ipywidgets calls them
    return inspect.isclass(value) and issubclass(value, nbprof.Explorer) and name != "Explorer"
