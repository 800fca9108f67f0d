"""Public names, signatures, and errors that say what to do."""

from __future__ import annotations

import ast
import inspect
import re
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import nbprof
from nbprof.model.filters.fields import FilterFields
from nbprof.widgets.arguments import ViewTraits
from nbprof.widgets.state_rules import StateRules
from tests.conftest import ROOT
from tests.support.syntax import tree_of

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("notebooks/*.ipynb")]
#: Modules of nbprof, which pages name beside public names.
MODULES = {path.stem for path in (ROOT / "nbprof").iterdir()}


@pytest.fixture(scope="module")
def profile() -> nbprof.Profile:
    return nbprof.load(ROOT / "tests/samples/gpu_resnet_synthetic")


def test_pages_name_only_what_is_public() -> None:
    named = {
        name
        for page in PAGES
        for name in re.findall(r"\bnbprof\.([A-Za-z_]+)", page.read_text("utf-8"))
    }
    endings = {"tables", "views", "recorders", "cost_formulas"}  # groups of entry points
    assert named - set(nbprof.__all__) - MODULES - endings == set()


def test_public_names_are_listed_alike() -> None:
    (typed,) = (
        node
        for node in tree_of(ROOT / "nbprof/__init__.py").body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    imported = {
        alias.name: node.module
        for node in typed.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == nbprof._HOMES
    assert {*imported, "__version__"} == set(nbprof.__all__)


@pytest.mark.parametrize("name", nbprof.__all__)
def test_public_names_are_documented(name: str) -> None:
    value = getattr(nbprof, name)
    assert name in dir(nbprof)
    if name != "__version__":
        assert inspect.getdoc(value)


def test_every_filter_field_and_trait_is_a_keyword_argument() -> None:
    fields = inspect.signature(nbprof.Filter).parameters
    assert list(FilterFields.__annotations__) == list(fields)
    traits = {*ViewTraits.__annotations__} - {"layout"}  # of ipywidgets
    assert traits <= {*StateRules.class_trait_names(sync=True)}
    for taker in (nbprof.show, nbprof.Explorer, nbprof.KernelsView):
        named = inspect.signature(taker).parameters
        assert {*fields, *traits, "filter", "run", "theme", "static"} <= named.keys()
        assert all(parameter.kind is not parameter.VAR_KEYWORD for parameter in named.values())
    for narrowing in (nbprof.Trace.filter, nbprof.Profile.filter, nbprof.Filter.replace):
        assert fields.keys() <= inspect.signature(narrowing).parameters.keys()


MISTAKES: dict[str, tuple[Callable[[Any, Any], Any], type[Exception], str]] = {
    "a number": (lambda _, __: nbprof.load(7), nbprof.SourceError, "Pass a log directory"),
    "nothing": (lambda _, __: nbprof.load(None), nbprof.SourceError, "never set"),
    "an empty text": (lambda _, __: nbprof.load(""), nbprof.SourceError, "current directory"),
    "a list of mixed things": (lambda _, __: nbprof.load(["a", 7]), nbprof.SourceError, "item 1"),
    "a rank without a path": (lambda _, __: nbprof.load({0: 7}), nbprof.SourceError, "rank 0"),
    "a table": (lambda _, t: nbprof.show(t.steps()), nbprof.SourceError, "files that a profiler"),
    "a DataFrame": (
        lambda _, __: nbprof.show(pd.DataFrame({"a": [1]})),
        nbprof.SourceError,
        "This is a table",
    ),
    "no file": (
        lambda _, __: nbprof.load("none.json"),
        nbprof.TraceNotFoundError,
        "nothing exists",
    ),
    "a field of a trace": (lambda _, t: t.filter(setps=3), nbprof.FilterError, "mean 'steps'"),
    "a field of a profile": (lambda p, _: p.filter(setps=3), nbprof.FilterError, "mean 'steps'"),
    "a changed field": (
        lambda _, __: nbprof.Filter().replace(setps=3),
        nbprof.FilterError,
        "mean 'steps'",
    ),
    "a filter by position": (lambda _, t: t.filter("conv"), nbprof.FilterError, "filter(name="),
    "a grouping": (
        lambda _, t: t.operators(group_by="nmae"),
        nbprof.UnknownNameError,
        "mean 'name'",
    ),
    "an option": (lambda _, t: t.flame(by="devise"), nbprof.UnknownNameError, "mean 'device'"),
    "an option's name": (
        lambda _, t: t.table("operators", goup_by="name"),
        TypeError,
        "mean 'group_by'",
    ),
    "a grouping of all workers": (
        lambda p, _: p.table("operators", group_by="name"),
        TypeError,
        "profile.trace().operators()",
    ),
    "an option's type": (lambda _, t: t.idle_gaps(min_us="a"), TypeError, "min_us is a number"),
    "a table's name": (
        lambda _, t: t.table("opertors"),
        nbprof.UnknownNameError,
        "mean 'operators'",
    ),
    "a profile's table": (lambda _, t: t.runs(), AttributeError, "`profile.runs()` returns it"),
    "a trace's table": (lambda p, _: p.flame(), AttributeError, "`profile.trace().flame()`"),
    "a worker": (lambda p, _: p.trace(worker="none"), nbprof.UnknownNameError, "'worker0'"),
    "no view": (lambda _, __: nbprof.diagnose(3), TypeError, "nbprof.show returns"),
    "a keyword": (lambda _, t: nbprof.show(t, nmae="conv"), TypeError, "mean 'name'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_errors_say_what_to_do(profile: nbprof.Profile, mistake: str) -> None:
    make, kind, words = MISTAKES[mistake]
    with pytest.raises(kind, match=re.escape(words)):
        make(profile, profile.trace())


def test_a_mistyped_attribute_can_be_suggested(profile: nbprof.Profile) -> None:
    with pytest.raises(AttributeError) as found:
        _ = nbprof.shwo
    assert found.value.name == "shwo"
    assert "show" in dir(found.value.obj)
