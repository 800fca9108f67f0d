"""The tests that `make test` leaves to `make test-long`, each with the reason why it is long.

A key is a folder, a file, or the id of a test; an id with parameters is that one case. Property
tests are not listed: `make test` draws a few examples of each, `make test-long` more. Of the
sweeps, `make test` takes some cases.
"""

from __future__ import annotations

from typing import Final

_LAB: Final = "starts a JupyterLab and a kernel, and waits for what a person would see"
_RECORDED: Final = "goes through every reference trace, some of which take seconds to read"
_CARDS: Final = "draws every card under every choice, in Python and in the browser's script"
_SECRETS: Final = "test_a_recording_tells_no_more_than_views_show"
_PRIVATE: Final = "test_private_views_shorten_frames_in_every_form"
#: Recordings that share their way through nbprof with another one.
_LIKE_OTHERS: Final = (
    "kineto_generated",
    "kineto_steps",
    "kineto_events",
    "kineto_cpu",
    "paddle_both",
    "timeline_changes",
    "nsight_of_two",
    "nvprof_nvvp",
    "ascend_tables",
)
_SWEEP: Final = "compares whole traces moment by moment with slow code"

_KEY_AVERAGES: Final = "tests/analysis/operators/test_key_averages.py::test_brute_force"
_SLOW_AVERAGES: Final = "computes every figure of a large trace again, event by event"

LONG: Final = {
    "tests/diffs/test_recordings.py": _RECORDED,
    "tests/oracle/torch/test_live_torch.py": "imports PyTorch and records with it",
    "tests/docs/test_readme.py::test_the_recording_is_what_the_other_blocks_ask_for": (
        "imports PyTorch and records with it"
    ),
    **{
        f"{_KEY_AVERAGES}[{trace}]": _SLOW_AVERAGES
        for trace in ("a100_two_ranks", "h800_deepseek", "mi300_qwen", "mtia_inference")
    },
    "tests/cli/bottleneck/test_programs.py": "starts several programs",
    # In Chromium: `tests/browser/pages/test_views.py` stays, which opens each view once.
    "tests/browser/lab/test_connection.py": _LAB,
    "tests/browser/lab/test_diagnose.py": _LAB,
    "tests/browser/pages/test_export_menu.py": "saves pictures and files, then on a page",
    "tests/browser/timeline/test_notes.py": "writes notes, reopens them on a page",
    "tests/browser/test_new_files.py": "waits for files at three widths",
    "tests/browser/test_newcomer.py": "asks ten questions of real recordings, in Chromium",
    "tests/browser/test_tooltips.py": "points at charts, tables and lanes and changes all of it",
    "tests/browser/test_tables.py": "writes and opens a page; fits columns at three widths",
    "tests/browser/lab/test_distributed.py": _LAB,
    "tests/browser/test_charts_in_place.py::test_they_look_as_if_drawn_anew": (
        "draws each view twice and compares the pictures"
    ),
    **{
        f"tests/browser/pages/test_extending.py::{name}": "opens the view in one more way"
        for name in (
            "test_the_view_of_the_package_is_on_a_page",
            "test_the_view_of_the_package_is_in_the_summary",
            "test_rows_of_a_registered_view_filter_as_others_do",
        )
    },
    "tests/browser/pages/test_nsys.py": "opens every view of one more format",
    "tests/browser/timeline/test_timeline_baseline.py": "aligns and scrolls two timelines by hand",
    "tests/browser/test_very_many_devices.py": "makes and opens a trace of very many devices",
    "tests/browser/lab/test_fallback.py": _LAB,
    "tests/browser/hosts/test_hosts.py": "starts Notebook 7 and Voila",
    "tests/browser/pages/test_html_page.py": "looks at every view at three widths, in two themes",
    "tests/browser/hosts/test_hub.py": "installs a JupyterHub and two users' environments",
    "tests/browser/lab/test_keys.py": _LAB,
    "tests/browser/lab/test_lab.py": _LAB,
    "tests/browser/lab/test_memory.py": _LAB,
    "tests/browser/pages/test_layout.py::test_bars_have_one_line_and_the_first_chart_is_in_sight": (
        "looks at every view of two profiles at three widths"
    ),
    "tests/browser/pages/test_memory_components.py": _LAB,
    "tests/browser/lab/test_modules.py": _LAB,
    "tests/browser/pages/test_npu.py": _LAB,
    "tests/browser/test_slow_patterns.py": "reads a name of 60 MB, filters dozens of times",
    "tests/browser/lab/test_npu_and_paddle.py": _LAB,
    "tests/browser/pages/test_page.py": "looks at every view at three widths, in two themes",
    "tests/browser/pages/test_paddle.py": _LAB,
    "tests/browser/lab/test_saved.py": _LAB,
    "tests/browser/pages/test_security.py": "puts hostile names into every text of every view",
    "tests/browser/timeline/test_timeline_lanes.py": "arranges lanes by hand, then on a page",
    "tests/browser/timeline/test_timeline_workers.py": "chooses workers by hand, at two clocks",
    **{
        f"tests/browser/{name}": "a second look at what `make test` sees once in Chromium"
        for name in (
            "test_charts_in_place.py::test_a_filter_exchanges_data_in_place[operators]",
            "test_charts_in_place.py::test_a_filter_exchanges_data_in_place[kernels]",
            "test_charts_in_place.py::test_a_filter_exchanges_data_in_place[memory]",
            "test_diff.py::test_a_page_shows_both_sides_and_filters_them",
            "test_diff.py::test_the_tree_opens_and_tables_change",
            "test_diff.py::test_two_profiles_change_places",
            "test_diff.py::test_rows_of_either_side_lead_to_their_slices",
            "test_work_of_a_click.py::test_a_figure_out_of_sight_tells_in_words_what_a_filter_changed",
            "test_work_of_a_click.py::test_a_filter_keeps_the_cells_of_tables_beside_charts",
            "test_work_of_a_click.py::test_a_filter_keeps_the_places_of_titles",
            "test_work_of_a_click.py::test_layers_over_figures_are_shown_only_while_used",
            "test_work_of_a_click.py::test_names_stay_in_sight_only_where_a_table_scrolls_sideways",
            "test_work_of_a_click.py::test_the_table_of_a_card_is_made_when_it_is_shown",
            "test_work_of_a_click.py::test_few_cells_clip_and_none_spills",
            "test_diff.py::test_changes_are_seen_without_scrolling_in_a_cell",
            "test_diff.py::test_workers_are_chosen",
            "pages/test_layout.py::test_names_of_a_trace_that_are_markup_are_suggested_as_text",
            "pages/test_selecting.py::test_a_name_is_selected_in_charts_table_and_timeline",
            "pages/test_selecting.py::test_a_point_of_the_roofline_is_selected_and_becomes_the_filter",
            "pages/test_selecting.py::test_an_exported_page_keeps_what_is_outside_of_its_filter",
            "pages/test_selecting.py::test_the_points_of_the_roofline_can_be_kernels",
            "timeline/test_timeline_start.py::test_arrows_of_all_launches_have_a_switch",
            "timeline/test_timeline_start.py::test_keys_typed_fast_act_in_their_order",
        )
    },
    "tests/ranks/test_ranks.py::test_the_last_ranks_stay_as_far_as_they_have_room": (
        "reads many ranks again and again"
    ),
    **{
        f"tests/widgets/saved/test_page_differences.py::{name}": "compares pages of two more runs"
        for name in (
            "test_trees_of_steps_that_differ_are_aligned_anew",
            "test_trees_of_unlike_runs_are_aligned_anew",
            "test_idle_times_follow_steps",
        )
    },
    "tests/ranks/test_executors.py::test_an_executor_gives_the_same_tables[processes]": (
        "starts several processes"
    ),
    "tests/browser/hosts/test_throttled.py": "puts a slow line between kernel and browser",
    "tests/browser/lab/test_timeline.py": _LAB,
    # Other programs.
    "tests/analysis/costs/test_flop_counter.py": "records two models with PyTorch",
    "tests/hosts": "runs notebooks through papermill, nbclient and nbconvert",
    "tests/docs/test_docs.py::test_the_commands_run": "runs every command, nbconvert among them",
    "tests/docs/test_npu_and_paddle_notebook.py": "runs a notebook in a kernel of its own",
    "tests/docs/test_sharing_notebook.py": "runs a notebook in a kernel of its own",
    "tests/docs/test_extending.py::test_its_commands_run": "builds and installs a package",
    "tests/docs/test_extending.py::test_all_three_are_there_once_it_is_installed": (
        "builds and installs a package"
    ),
    "tests/samples/test_samples.py::test_the_generator_writes_the_same_again": "records a sample",
    "tests/ranks/test_cluster_notebook.py": "starts a Dask cluster and reads many ranks on it",
    "tests/ranks/test_ranks.py::test_tables_are_those_of_every_worker": "reads 64 ranks each time",
    "tests/ranks/test_dask.py": "starts a Dask cluster",
    "tests/sources/parallel/test_processes.py": "starts several processes for every read",
    "tests/widgets/requests/test_kernel.py": "starts a kernel",
    "tests/docs/test_notebooks.py::test_records_where_pytorch_is": "records a profile with PyTorch",
    "tests/docs/test_tutorial_notebook.py": "records profiles with PyTorch",
    "tests/widgets/recording/test_kernel.py": "starts a kernel and imports PyTorch in it",
    "tests/browser/lab/test_recording.py": _LAB,
    "tests/sources/kineto/test_torch.py": "imports PyTorch and records profiles with it",
    "tests/sources/cache/test_programs.py": "starts several programs, and kills some of them",
    "tests/sources/files/test_s3.py": "starts a server for S3",
    # Large and many inputs.
    **{
        f"tests/sharing/test_planted_secrets.py::{_SECRETS}[{name}]": (
            "unpacks all forms of a recording like others"
        )
        for name in _LIKE_OTHERS
    },
    **{
        f"tests/sharing/test_spoken_texts.py::{test}[{name}]": "reads a recording like others"
        for name in (*_LIKE_OTHERS, "ascend", "python_profile", "snapshot")
        for test in (
            "test_the_progress_of_reading_names_files_below_what_was_passed",
            "test_pyprofs_report_names_no_place",
        )
    },
    "tests/widgets/timeline/test_saved_timeline.py::test_it_is_small_and_says_what_it_leaves_out": (
        "saves a timeline of 60,000 slices"
    ),
    "tests/timeline/test_window.py::test_a_reply_stays_small_however_dense_the_trace": (
        "makes a trace of 216,000 slices"
    ),
    **{
        f"tests/sharing/test_planted_secrets.py::{_PRIVATE}[{name}]": "is like others"
        for name in ("kineto_steps", "ascend")
    },
    "tests/sources/chrome/test_reference.py": _RECORDED,
    "tests/timeline/test_first_screen.py::test_of_reference_traces": _RECORDED,
    "tests/sources/parallel/test_parallel.py::test_parts_of_reference_traces_make_the_whole": (
        _RECORDED
    ),
    "tests/widgets/test_closed_views.py::test_1000_filters_leave_no_more_than_one": (
        "answers a thousand requests"
    ),
    "tests/widgets/test_closed_views.py::test_40_openings_leave_no_more_than_one": (
        "opens every view several times"
    ),
    "tests/sources/limits/test_memory.py::"
    "test_whatever_the_limit_a_file_is_read_or_the_error_says_why_not": (
        "reads a file of 80,000 events two dozen times"
    ),
    "tests/fuzz/test_live_objects.py": "tries some 200 objects that are not what they say",
    "tests/fuzz/test_broken_files.py": "does everything that can be done with each of many files",
    "tests/fuzz/test_fuzz.py::test_many_new_cases": "runs hundreds of spoiled recordings",
    "tests/sources/parts/test_prefilters.py": _RECORDED,
    "tests/sources/parts/test_stray_times.py": "reads large traces with one wrong time in parts",
    "tests/sources/parts/test_cases.py": "reads traces of tens of thousands of events in parts",
    "tests/sources/writing": _RECORDED,
    "tests/widgets/saved/test_saved_state.py::test_a_large_timeline_leaves_room_for_tables": (
        "saves a timeline of many slices"
    ),
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
    "tests/timeline/details/test_details.py": _RECORDED,
    "tests/widgets/views/test_cards.py": _CARDS,
    "tests/widgets/saved/test_page_filters.py": _SWEEP,
    "tests/widgets/saved/test_saved_answers.py": _SWEEP,
    "tests/analysis/steps/test_parts.py": _SWEEP,
}


_CHARTS: Final = "test_nothing_cut_nothing_overlapping"

#: Sweeps over widths, numbers of rows and the like: `make test` takes one case in so many, which
#: meet every value of every parameter; the others are long.
SWEEPS: Final = {
    f"tests/charts/test_steps.py::{_CHARTS}": 3,
    f"tests/charts/test_stacked.py::{_CHARTS}": 3,
    f"tests/charts/test_nested_bars.py::{_CHARTS}": 7,
    f"tests/charts/test_donut.py::{_CHARTS}": 3,
    "tests/charts/test_donut.py::test_leader_lines_stay_off_the_ring": 3,
    "tests/charts/test_steps.py::test_any_magnitude_in_any_unit": 5,
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
