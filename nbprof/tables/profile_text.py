"""The text and HTML that represent a profile in a cell: one line, and the table of its runs.

Notebooks that contain them may be shared, so files are named without the folders above them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.model.building import arrow_array
from nbprof.model.reprs import html_table
from nbprof.model.units import format_count
from nbprof.model.visible_text import printable
from nbprof.sources.discovery.catalog import in_jobs

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.filters.filter import Filter
    from nbprof.sources import TraceFile
    from nbprof.sources.files.shared_names import SharedNames

_COLUMNS = ("run", "worker", "span", "format", "device_type", "bytes", "path")


def profile_line(files: list[TraceFile], skipped: int, filter_: Filter, names: SharedNames) -> str:
    """Return the source, the numbers of runs, workers, traces and skipped files, and the filter."""
    parts = [
        format_count(len({file.run for file in files}), "run"),
        format_count(len({(file.run, file.worker) for file in in_jobs(files)}), "worker"),
        format_count(len(files), "trace"),
    ]
    if skipped:
        parts.append(f"{skipped} skipped")
    conditions = ", ".join(text for _, text in filter_.describe())
    under = f" filtered to {conditions}" if conditions else ""
    return printable(f"<nbprof.Profile {names.source}: {', '.join(parts)}{under}>")


def runs_html(runs: pa.Table, title: str, names: SharedNames) -> str:
    """Return the table ``runs`` as HTML."""
    paths = arrow_array([names.path(path) for path in runs["path"].to_pylist()], runs["path"].type)
    shown = runs.set_column(runs.column_names.index("path"), "path", paths)
    return html_table(shown, title, _COLUMNS)
