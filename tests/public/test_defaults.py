"""`nbprof.options`: checks of values, resetting, and environment variables."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.defaults import Options

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("NBPROF_RENDERER", raising=False)
    yield
    nbprof.options.reset()


def test_what_is_set_holds_until_it_is_taken_back() -> None:
    nbprof.options.theme = "dark"
    nbprof.options.cache = False
    assert (nbprof.options.theme, nbprof.options.cache) == ("dark", False)
    del nbprof.options.theme
    assert (nbprof.options.theme, nbprof.options.cache) == ("auto", False)
    nbprof.options.reset()
    assert nbprof.options.cache is True


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("theme", "blue"),
        ("theme", None),
        ("theme", ["dark"]),
        ("time_unit", "hours"),
        ("renderer", "html"),
        ("cache", 1),
        ("page_bytes", -1),
        ("page_bytes", True),
        ("page_bytes", 1e6),
    ],
)
def test_what_does_not_fit_is_refused_in_words(name: str, value: Any) -> None:
    before = getattr(nbprof.options, name)
    with pytest.raises(ValueError, match=f"{name} takes .*, not"):
        setattr(nbprof.options, name, value)
    assert getattr(nbprof.options, name) == before


def test_an_unknown_name_says_the_closest() -> None:
    with pytest.raises(AttributeError, match="Did you mean 'theme'"):
        nbprof.options.them = "dark"
    with pytest.raises(AttributeError, match="Did you mean 'page_bytes'"):
        _ = nbprof.options.page_byte
    with pytest.raises(AttributeError, match="There are theme, time_unit"):
        del nbprof.options.xyz


def test_the_environment_chooses_the_renderer_until_the_program_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NBPROF_RENDERER", "static")
    assert nbprof.options.renderer == "static"
    nbprof.options.renderer = "auto"
    assert nbprof.options.renderer == "auto"
    nbprof.options.reset()
    monkeypatch.setenv("NBPROF_RENDERER", "")
    assert nbprof.options.renderer == "auto"
    monkeypatch.setenv("NBPROF_RENDERER", "statik")
    with pytest.raises(ValueError, match="NBPROF_RENDERER takes one of 'auto', 'static'"):
        _ = nbprof.options.renderer


def test_every_option_is_documented() -> None:
    documented = Options.__doc__ or ""
    described = nbprof.options.describe().splitlines()
    names = [line.split(" = ")[0] for line in described]
    assert "renderer" in names
    for name in names:
        assert name in documented
        assert name in dir(nbprof.options)
        assert f"{name}=" in repr(nbprof.options)


def test_the_name_is_the_object_whatever_is_imported_first() -> None:
    code = "import nbprof.widgets, nbprof.defaults, nbprof; print(nbprof.options.theme)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "auto"
