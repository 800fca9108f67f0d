"""Registries: nbprof's own specs, those of packages and notebooks, and broken ones."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar

import pytest

import nbprof
from nbprof.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Install = Callable[..., None]

HERE = __name__


@dataclass(frozen=True)
class Animal:
    """What the registries of these tests hold."""

    registry: ClassVar[str] = f"{HERE}:ANIMALS"
    name: str


CAT = Animal("cat")
DOG = Animal("dog")
OWN = {"dog": f"{HERE}:DOG", "cat": f"{HERE}:CAT"}


def made() -> Registry[Animal]:
    return Registry("animal", "nbprof.test_animals", f"{HERE}:Animal", OWN)


ANIMALS = made()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a package with entry points, from its name to what its module says."""

    def install(name: str, code: str, **points: str) -> None:
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = [f"{key} = {value}" for key, value in points.items()]
        (info / "entry_points.txt").write_text("\n".join(["[nbprof.test_animals]", *lines]))
        (tmp_path / f"{name}.py").write_text(code)

    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield install
    for module in set(sys.modules) - before:
        del sys.modules[module]


GOOD = f"from {HERE} import Animal\nOWL = Animal('owl')\n"


def test_a_package_is_found_that_was_installed_after_others_were_looked_for(
    package: Install,
) -> None:
    assert "owl" not in made()
    package("birds", GOOD, owl="birds:OWL")
    assert "owl" in made()


def test_folders_are_looked_through_once(package: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    package("birds", GOOD, owl="birds:OWL")
    assert "owl" in made()
    monkeypatch.setattr("nbprof.registry.entry_points", None)  # it is not called
    assert "owl" in made()


def test_own_come_in_their_order_and_are_imported_when_asked_for() -> None:
    found = Registry("animal", "nbprof.test_animals", f"{HERE}:Animal", {"x": "no_such:X", **OWN})
    assert found.names() == tuple(found) == ("x", "dog", "cat")
    assert found["cat"] is CAT
    assert found.get("dog") is DOG
    assert "x" in found
    with pytest.raises(ModuleNotFoundError):  # a fault of nbprof itself is not hidden
        found.get("x")


def test_an_unknown_name_says_which_there_are() -> None:
    with pytest.raises(nbprof.UnknownNameError, match="no animal 'cow'; there are dog, cat"):
        made()["cow"]
    assert made().get("cow") is None
    assert "cow" not in made()


def test_packages_extend_it(package: Install) -> None:
    package("zoo", GOOD, owl="zoo:OWL")
    found = made()
    assert found.names() == ("dog", "cat", "owl")
    assert "zoo" not in sys.modules
    assert [spec.name for spec in found.specs()] == ["dog", "cat", "owl"]
    assert not found.is_own("owl")


@pytest.mark.parametrize(
    ("code", "place", "reason"),
    [
        ("1 / 0", "zoo:OWL", "ZeroDivisionError: division by zero"),
        ("", "zoo:OWL", "AttributeError: module 'zoo' has no attribute 'OWL'"),
        ("", "no_zoo:OWL", "ModuleNotFoundError: No module named 'no_zoo'"),
        ("OWL = 'owl'", "zoo:OWL", "TypeError: zoo:OWL is not a Animal"),
        (GOOD.replace("'owl'", "'cow'"), "zoo:OWL", "ValueError: zoo:OWL has the name 'cow'"),
    ],
)
def test_a_broken_extension_is_named_once(
    package: Install, code: str, place: str, reason: str
) -> None:
    package("zoo", code, owl=place)
    found = made()
    text = f"The animal 'owl' of the package 'zoo' cannot be used. {reason}."
    with pytest.warns(nbprof.ExtensionWarning) as caught:
        assert found.specs() == [DOG, CAT]
    assert [str(one.message) for one in caught] == [text]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found.specs() == [DOG, CAT]
    assert found.names() == ("dog", "cat")
    with pytest.raises(nbprof.UnknownNameError, match="'owl' of the package 'zoo' cannot be used"):
        found["owl"]


def test_names_that_are_taken(package: Install) -> None:
    package("zoo", GOOD, owl="zoo:OWL")
    package("zoo_two", GOOD, owl="zoo_two:OWL", cat="zoo_two:OWL")
    found = made()
    with pytest.warns(nbprof.ExtensionWarning) as caught:
        assert found.names() == ("dog", "cat", "owl")
    assert sorted("itself" in str(one.message) for one in caught) == [False, True]
    assert found["cat"] is CAT


def test_a_notebook_registers_its_own() -> None:
    first, second = Animal("mouse"), Animal("mouse")
    nbprof.register(first)
    nbprof.register(second)  # a cell that runs again
    assert ANIMALS["mouse"] is second
    assert ANIMALS.names() == ("dog", "cat", "mouse")
    ANIMALS.unregister("mouse")
    assert "mouse" not in ANIMALS
    with pytest.raises(nbprof.UnknownNameError, match="No animal 'mouse' was registered"):
        ANIMALS.unregister("mouse")
    with pytest.raises(ValueError, match="nbprof has a animal 'cat' of its own"):
        nbprof.register(Animal("cat"))


@pytest.mark.parametrize("thing", [ModuleType("x"), "operators", None, 7])
def test_only_specs_can_be_registered(thing: object) -> None:
    with pytest.raises(TypeError, match="Pass a TableSpec, ViewSpec, Recorder or CostFormula, not"):
        nbprof.register(thing)
