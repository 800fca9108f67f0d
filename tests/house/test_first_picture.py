"""The first picture of a trace imports only what it shows: half of the package, not all of it."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Final

from nbprof.registry import resolved
from nbprof.sources.recorders import RECORDERS
from nbprof.widgets.requests.handlers import operations
from nbprof.widgets.views.registry import VIEWS
from tests.conftest import ROOT

#: Modules that nothing on the first picture of a PyTorch trace needs.
LATER: Final = (
    "nbprof.export.html.steps",
    "nbprof.ranks.comparison",
    "nbprof.sources.ascend.reading",
    "nbprof.sources.memory_snapshots.memory_",
    "nbprof.sources.paddle.reading",
    "nbprof.timeline",
    "nbprof.widgets.saved.page",
    "nbprof.widgets.views.modules.flame",
)

_SHOW: Final = """
import json, sys
import nbprof
from nbprof.widgets.requests.handlers import operations
view = nbprof.Explorer(sys.argv[1])
state = {"run": view.run, "worker": view.worker, "span": view.span, "filter": {}}
for name in ("catalog", "trace", "overview", "charts"):
    assert operations()[name].handler(
        view._session, {"state": state, "view": "overview"}, lambda *_: None
    )
print(json.dumps([name for name in sys.modules if name.startswith("nbprof")]))
"""


def test_other_formats_and_views_are_imported_later() -> None:
    sample = str(ROOT / "tests/samples/gpu_resnet_synthetic")
    done = subprocess.run(
        [sys.executable, "-c", _SHOW, sample], capture_output=True, text=True, check=True
    )
    loaded = json.loads(done.stdout)
    assert "nbprof.sources.kineto.reading" in loaded
    assert [name for name in loaded if name.startswith(LATER)] == []


def test_every_place_that_a_spec_names_holds_a_function() -> None:
    parts = [part for view in VIEWS.specs() for part in view.summary or ()]
    places = [
        *(recorder.read for recorder in RECORDERS.specs()),
        *(operation.answer for operation in operations().values()),
        *(place for part in parts for place in (part.html, part.text) if place),
    ]
    assert sum(isinstance(place, str) for place in places) > 30
    assert [place for place in places if not callable(resolved(place))] == []


def test_a_process_that_reads_a_part_imports_no_arrow() -> None:
    code = (
        "import sys; import nbprof.sources.parallel.helper_process; "
        "import nbprof.sources.kineto.rows; print('pyarrow' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
