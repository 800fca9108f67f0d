"""Warnings, errors and tables name files as the user passed them, not where links lead."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.cli import main
from nbprof.model.errors import NbprofError
from tests.sharing import planted

if TYPE_CHECKING:
    from collections.abc import Callable

#: Where the link that is passed leads to.
REAL = "SECRETREAL"


def said(source: Any) -> list[str]:
    """Return what users are told of a source."""
    texts: list[str] = []

    def keep(make: Callable[[], object]) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                made = make()
            except (NbprofError, OSError) as error:
                texts.append(f"{error} {error!r} {getattr(error, 'filename', '')}")
                made = None
        texts.extend(str(one.message) for one in caught)
        return made

    profile = keep(lambda: nbprof.load(source, progress=False, cache=False))
    if profile is None:
        return texts
    keep(profile.read)
    for trace in list(profile):
        texts += [repr(trace), trace.place, trace.path]
        keep(trace.read)
        found = keep(trace.warnings)
        texts.append(str(found and found.to_pylist()))
        keep(lambda trace=trace: trace.to_chrome_trace(source))
    keep(profile.steps)
    texts += [repr(profile), str(profile.runs().to_pylist()), str(profile.skipped().to_pylist())]
    return texts


def cut(folder: Path) -> None:
    """Cut every file in half."""
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("form", ["link", "./link/../link", "link/*"])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("name", planted.FORMATS)
def test_files_are_named_as_they_were_passed(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    *,
    whole: bool,
    form: str,
) -> None:
    planted.write(name, tmp_path / REAL / "logs")
    (tmp_path / REAL / "logs" / "notes.json").write_text("{}")
    if not whole:
        cut(tmp_path / REAL)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("link").symlink_to(f"../{REAL}/logs")
    texts = said(form)
    if form == "link":
        main(["info", form, "--heads"])
        main(["table", form, "steps"])
        texts.append("".join(capfd.readouterr()))
    assert any("link" in text for text in texts)
    for text in texts:
        assert REAL not in text
        if "The current directory is" not in text:
            assert str(tmp_path) not in text, text


def test_what_is_not_there_is_named_as_it_was_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", f"/home/{REAL}")
    for source in ("~/none", ["~/none/*.json", "~/no"], "https:/me:secret@host/x"):
        with pytest.raises(nbprof.TraceNotFoundError) as caught:
            nbprof.load(source)
        assert REAL not in str(caught.value)
        assert "secret" not in str(caught.value)
