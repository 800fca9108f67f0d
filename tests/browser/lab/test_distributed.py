"""The distributed view in JupyterLab: steps, many ranks, one rank, themes, widths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.driving.widget import Widget
from tests.browser.lab.test_lab import write
from tests.support.recordings.ranks import talking_job

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.lab import Lab

pytestmark = pytest.mark.browser

SHOW = 'import nbprof\nview = nbprof.show({source!r}, view="distributed"{more})\nview'


def open_workers(lab: Lab, folder: Path, source: str | Path, charts: int, more: str = "") -> Widget:
    """Run a notebook that shows the workers of a job and give it with its charts drawn."""
    lab.open(write(folder, SHOW.format(source=str(source), more=more)))
    lab.run_all()
    return Widget(lab.widgets().first).drawn(charts)


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return talking_job(tmp_path_factory.mktemp("workers"), 4)


def test_workers_stand_side_by_side(lab: Lab, lab_root: Path, job: Path) -> None:
    widget = open_workers(lab, lab_root, job, 2)
    rows = widget.rows("Communication operators")
    assert [row["worker"] for row in rows] == ["rank0", "rank1", "rank2", "rank3"]
    assert {row["calls"] for row in rows} == {"3"}
    # All of them move data as long as the last one.
    assert {row["data_transfer_us"] for row in rows} == {"840"}
    assert [row["total_latency_us"] for row in rows] == ["1,020", "960", "900", "840"]
    card = widget.root.locator("section", has_text="Parts of communication").last
    card.get_by_role("combobox", name="Step").select_option(label="Step 6")
    widget.settled()
    card.get_by_role("button", name="View as table").click()
    text = card.inner_text()
    assert "rank3" in text
    assert "60" in text
    lab.screenshot("distributed-step", widget.root)


def test_a_filter_narrows_the_steps(lab: Lab, lab_root: Path, job: Path) -> None:
    widget = open_workers(lab, lab_root, job, 2, ", steps=6")
    assert set(widget.column("Communication operators", "calls")) == {"1"}
    options = widget.root.get_by_role("combobox", name="Step").first.locator("option")
    assert options.all_inner_texts() == ["All, mean", "Step 6"]


def test_one_worker_is_told_what_to_do(lab: Lab, lab_root: Path, tmp_path: Path) -> None:
    widget = open_workers(lab, lab_root, talking_job(tmp_path, 1), 1)
    assert "One worker" in widget.text()
    assert "Record every rank" in widget.text()
    assert widget.misfits() == []


def test_many_ranks_are_read_a_few_at_a_time(lab: Lab, lab_root: Path, tmp_path: Path) -> None:
    widget = open_workers(lab, lab_root, talking_job(tmp_path, 64), 2)
    assert len(widget.rows("Communication operators")) > 10
    assert widget.misfits() == []
    lab.screenshot("distributed-64", widget.root)


@pytest.mark.parametrize("width", [1200, 420])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits(lab: Lab, lab_root: Path, theme: str, width: int) -> None:
    lab.resize(width)
    run = ', run="npu_convnet_synthetic"' if theme == "dark" else ', run="gpu_resnet_synthetic"'
    widget = open_workers(lab, lab_root, "../runs", 2, run)
    lab.theme(theme)
    widget.drawn(2)
    assert widget.misfits() == []
    assert widget.access_faults() == []
    lab.screenshot(f"distributed-{width}-{theme}", widget.root)
