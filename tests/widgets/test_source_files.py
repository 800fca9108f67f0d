"""Source files of frames: found below the server's root, and no others revealed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nbprof.widgets.source_files import MOST_FILES, source_file

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a server's root with a project, beside a file that nobody may learn of."""
    project = tmp_path / "root" / "project"
    project.mkdir(parents=True)
    (project / "train.py").write_text("x = 1\n")
    (project / "notes.txt").write_text("no source")
    (tmp_path / "secret.py").write_text("key = 2\n")
    (project / "way_out.py").symlink_to(tmp_path / "secret.py")
    monkeypatch.chdir(project)
    return tmp_path / "root"


def test_a_file_is_found_by_its_path_and_below_the_working_directory(root: Path) -> None:
    found = "project/train.py"
    assert source_file(str(root / "project" / "train.py"), str(root)) == found
    assert source_file("train.py", str(root)) == found
    assert source_file("project/train.py", str(root)) == found
    assert source_file("project/../project/train.py", str(root)) == found


def test_a_file_is_found_where_python_imports_from(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = root / "libraries" / "layers"
    package.mkdir(parents=True)
    (package / "conv.py").write_text("")
    assert source_file("layers/conv.py", str(root)) is None
    monkeypatch.syspath_prepend(str(root / "libraries"))
    assert source_file("layers/conv.py", str(root)) == "libraries/layers/conv.py"


def test_the_home_of_the_server_is_that_of_the_user(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(root.parent))
    assert source_file("train.py", "~/root") == "project/train.py"


@pytest.mark.parametrize(
    "file",
    [
        "../../secret.py",
        "{outside}/secret.py",
        "way_out.py",
        "notes.txt",
        "missing.py",
        "",
        "project",
        "nul\0.py",
        "<string>",
    ],
)
def test_nothing_is_told_of_other_files(root: Path, file: str) -> None:
    assert source_file(file.format(outside=root.parent), str(root)) is None


@pytest.mark.parametrize("top", ["", "/no/such/root", "~nobody-of-this-name/x", "nul\0"])
def test_without_the_root_there_is_nothing(root: Path, top: str) -> None:
    (root / "elsewhere.py").write_text("")
    assert source_file(str(root / "elsewhere.py"), top) is None


def test_the_request_names_files_that_were_found(
    root: Path, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook = root / "project" / "a.ipynb"
    notebook.write_text("{}")
    monkeypatch.setenv("JPY_SESSION_NAME", str(notebook))
    files = [*(f"missing{n}.py" for n in range(MOST_FILES - 1)), "train.py", "project/train.py"]
    asked = page.result("sources", state=page.state(), root=str(root), files=files)
    assert asked == {"files": {"train.py": "project/train.py"}}
    assert page.error("sources", state=page.state(), files=files)["type"] == "RequestError"
    assert page.error("sources", state=page.state(), root=str(root))["type"] == "RequestError"


@pytest.mark.parametrize("notebook", [None, "/elsewhere/a.ipynb", "{root}/gone.ipynb", "{beside}"])
def test_a_kernel_that_does_not_see_the_servers_files_finds_none(
    root: Path, page: Page, monkeypatch: pytest.MonkeyPatch, notebook: str | None
) -> None:
    if notebook is None:
        monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    else:
        beside = root.parent / "secret.py"
        monkeypatch.setenv("JPY_SESSION_NAME", notebook.format(root=root, beside=beside))
    asked = {"state": page.state(), "root": str(root), "files": ["train.py"]}
    assert page.result("sources", **asked) == {"files": {}}
