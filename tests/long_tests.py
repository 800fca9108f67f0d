"""The tests that `make test` leaves to `make test-long`, each with the reason why it is long.

A key is a folder, a file, or the id of a test; an id with parameters is that one case. Property
tests are not listed: `make test` draws a few examples of each, `make test-long` all of them.
"""

from __future__ import annotations

from typing import Final

_LAB: Final = "starts a JupyterLab and a kernel, and waits for what a person would see"
_RECORDED: Final = "goes through every reference trace, some of which take seconds to read"
_CARDS: Final = "draws every card under every choice, in Python and in the browser's script"
_SECRETS: Final = "test_nothing_that_is_shared_names_a_folder_or_spare_metadata"
_SWEEP: Final = "compares whole traces moment by moment with slow code"

LONG: Final = {
    # In Chromium: `tests/browser/pages/test_views.py` stays, which opens each view once.
    "tests/browser/lab/test_connection.py": _LAB,
    "tests/browser/lab/test_diagnose.py": _LAB,
    "tests/browser/pages/test_export_menu.py": "saves pictures and files, then on a page",
    "tests/browser/timeline/test_notes.py": "writes notes, reopens them on a page",
    "tests/browser/test_new_files.py": "waits for files at three widths",
    "tests/browser/test_tooltips.py": "points at charts, tables and lanes and changes all of it",
    "tests/browser/test_tables.py": "writes and opens a page; fits columns at three widths",
    "tests/browser/lab/test_distributed.py": _LAB,
    "tests/browser/test_charts_in_place.py::test_they_look_as_if_drawn_anew": (
        "draws each view twice and compares the pictures"
    ),
    "tests/browser/pages/test_extending.py::test_the_view_of_the_package_is_on_a_page": (
        "opens two pages"
    ),
    "tests/browser/lab/test_fallback.py": _LAB,
    "tests/browser/hosts/test_hosts.py": "starts Notebook 7 and Voila",
    "tests/browser/pages/test_html_page.py": "looks at every view at three widths, in two themes",
    "tests/browser/hosts/test_hub.py": "installs a JupyterHub and two users' environments",
    "tests/browser/lab/test_lab.py": _LAB,
    "tests/browser/lab/test_memory.py": _LAB,
    "tests/browser/pages/test_layout.py::test_bars_have_one_line_and_the_first_chart_is_in_sight": (
        "looks at every view of two profiles at three widths"
    ),
    "tests/browser/pages/test_memory_components.py": _LAB,
    "tests/browser/lab/test_modules.py": _LAB,
    "tests/browser/pages/test_npu.py": _LAB,
    "tests/browser/lab/test_npu_and_paddle.py": _LAB,
    "tests/browser/pages/test_page.py": "looks at every view at three widths, in two themes",
    "tests/browser/pages/test_paddle.py": _LAB,
    "tests/browser/lab/test_saved.py": _LAB,
    "tests/browser/pages/test_security.py": "puts hostile names into every text of every view",
    "tests/browser/timeline/test_timeline_lanes.py": "arranges lanes by hand, then on a page",
    "tests/browser/timeline/test_timeline_workers.py": "chooses workers by hand, at two clocks",
    "tests/browser/hosts/test_throttled.py": "puts a slow line between kernel and browser",
    "tests/browser/lab/test_timeline.py": _LAB,
    # Other programs.
    "tests/hosts": "runs notebooks through papermill, nbclient and nbconvert",
    "tests/docs/test_docs.py::test_the_commands_run": "runs every command, nbconvert among them",
    "tests/docs/test_extending.py::test_its_commands_run": "builds and installs a package",
    "tests/docs/test_extending.py::test_all_three_are_there_once_it_is_installed": (
        "builds and installs a package"
    ),
    "tests/samples/test_samples.py::test_the_generator_writes_the_same_again": "records a sample",
    "tests/ranks/test_cluster_notebook.py": "starts a Dask cluster and reads many ranks on it",
    "tests/ranks/test_dask.py": "starts a Dask cluster",
    "tests/sources/parallel/test_processes.py": "starts several processes for every read",
    "tests/widgets/requests/test_kernel.py::test_a_cell_holds_the_view_and_its_summary": (
        "starts a kernel"
    ),
    "tests/docs/test_notebooks.py::test_records_where_pytorch_is": "records a profile with PyTorch",
    "tests/sources/cache/test_programs.py": "starts several programs, and kills some of them",
    "tests/sources/files/test_s3.py": "starts a server for S3",
    # Large and many inputs.
    **{
        f"tests/widgets/saved/test_secrets.py::{_SECRETS}[{run}]": "unpacks all that a page holds"
        for run in ("gpu_resnet_synthetic", "torch_cpu_convnet")
    },
    "tests/widgets/timeline/test_saved_timeline.py::test_it_is_small_and_says_what_it_leaves_out": (
        "saves a timeline of 60,000 slices"
    ),
    "tests/timeline/test_window.py::test_a_reply_stays_small_however_dense_the_trace": (
        "makes a trace of 216,000 slices"
    ),
    "tests/sources/chrome/test_reference.py": _RECORDED,
    "tests/timeline/test_first_screen.py::test_of_reference_traces": _RECORDED,
    "tests/sources/parallel/test_parallel.py::test_parts_of_reference_traces_make_the_whole": (
        _RECORDED
    ),
    "tests/widgets/test_closed_views.py::test_40_openings_leave_no_more_than_one": (
        "opens every view several times"
    ),
    "tests/sources/limits/test_memory.py::"
    "test_whatever_the_limit_a_file_is_read_or_the_error_says_why_not": (
        "reads a file of 80,000 events two dozen times"
    ),
    "tests/fuzz/test_broken_files.py": "does everything that can be done with each of many files",
    "tests/fuzz/test_fuzz.py::test_many_new_cases": "runs thousands of spoiled recordings",
    "tests/sources/parts/test_prefilters.py": _RECORDED,
    "tests/sources/parts/test_cases.py": "reads traces of tens of thousands of events in parts",
    "tests/sources/writing": _RECORDED,
    "tests/analysis/steps/test_stages_reference.py": _RECORDED,
    "tests/analysis/test_unclosed_frames.py": _RECORDED,
    "tests/analysis/memory/test_kinds.py::test_other_recordings_have_the_columns_that_they_had": (
        _RECORDED
    ),
    "tests/analysis/operators/test_inside.py::test_other_recorders_have_none_of_it": _RECORDED,
    "tests/oracle/plugin": _RECORDED,
    "tests/oracle/test_reasons.py": _RECORDED,
    "tests/timeline/curves/test_tracks.py": _RECORDED,
    "tests/widgets/test_reference.py": _RECORDED,
    "tests/timeline/test_details.py": _RECORDED,
    "tests/widgets/views/test_cards.py": _CARDS,
    "tests/widgets/saved/test_page_filters.py": _SWEEP,
    "tests/widgets/saved/test_saved_answers.py": _SWEEP,
    "tests/analysis/steps/test_parts.py": _SWEEP,
}


def reason(nodeid: str) -> str | None:
    """Return why a test is long, None for one that is not.

    Parameters
    ----------
    nodeid : str
        As pytest has it, from the root of the checkout.
    """
    case = nodeid.split("[", maxsplit=1)[0]
    file = case.split("::")[0]
    folders = ["/".join(file.split("/")[:depth]) for depth in range(1, file.count("/") + 1)]
    return next((LONG[key] for key in (nodeid, case, file, *folders) if key in LONG), None)
