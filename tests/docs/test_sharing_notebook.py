"""The notebook about sharing runs from top to bottom and writes the files it promises."""

from __future__ import annotations

from typing import Any

import pytest

from tests.docs.test_notebooks import ROOT, VIEW, data, run, text
from tests.export.reading import Reader


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run(ROOT / "notebooks" / "sharing.ipynb", tmp_path_factory.mktemp("sharing"))


def test_nothing_complains(cells: dict[str, Any]) -> None:
    for name, cell in cells.items():
        for output in cell.outputs:
            assert output.output_type != "error", name
            assert output.get("name") != "stderr", (name, output.text)


def test_a_view_carries_its_summary(cells: dict[str, Any]) -> None:
    shown = data(cells["show"])[-1]
    assert shown.keys() == {VIEW, "text/html", "text/plain"}
    assert "Filtered to steps 4 to 5" in Reader(shown["text/html"]).text
    assert shown["text/plain"] in text(cells["text"])


@pytest.mark.parametrize("name", ["static", "renderer"])
def test_static_outputs_are_no_widgets(cells: dict[str, Any], name: str) -> None:
    shown = data(cells[name])[-1]
    assert shown.keys() == {"text/html", "text/plain"}
    assert len(Reader(shown["text/html"]).images) > 10


def test_a_page_is_written_and_views_stand_in_boxes(cells: dict[str, Any]) -> None:
    assert text(cells["page"]).startswith("report.html: ")
    assert VIEW in data(cells["boxes"])[-1]
    assert "renderer = 'auto'" in text(cells["options"])
