"""Recognises directories of the Ascend profiler, with their worker and span.

A run is a directory of directories ``<worker>_<span>_ascend_pt``; their files to read are in
`ASCEND_PROFILER_OUTPUT`. Raw data, databases and other tables are next to it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nbprof.sources.ascend.file_names import COMMUNICATION, CONTENT, OUTPUT, kind_of
from nbprof.sources.ascend.profiler_info import INFO, METADATA
from nbprof.sources.discovery.naming import FileName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.sources.files.opening import AnyPath

#: Suffix of the directories of a worker and span; some versions and users leave it out.
SUFFIX: Final = "_ascend_pt"

#: Directories beside the output: raw data, and the results of other tools.
_RAW: Final = re.compile(r"PROF_.*|FRAMEWORK|logs|mindstudio_profiler_(?:output|log)", re.DOTALL)
_OTHER_TOOLS: Final = "cluster_analysis_output"

_DATA_BASE: Final = ".db"

#: Files of the output that are not read; matched only next to files that are.
_UNREAD: Final = frozenset({"communication_matrix.json", "analyze.json"})

_SPAN: Final = re.compile(r"(.*?)_([0-9]+)(?:\.([0-9]+))?", re.DOTALL)
_RANK_BEFORE: Final = re.compile(
    r"(?:^|.*[-_. ])(?:rank|worker|node|device|card|npu|process)", re.IGNORECASE | re.DOTALL
)
_DIGITS_AFTER: Final = 9

#: A date and time of day: newer versions write milliseconds, older ones do not.
_TIME_OF_DAY: Final = re.compile(r"20[0-9]{12,17}")
_LONGEST_TIME: Final = 19
_LONGEST_STAMP: Final = 30


def parse_folder(name: str) -> FileName:
    """Split the name of a directory: ``<worker>_<span>[_ascend_pt]``.

    A number after ``rank`` and the like belongs to the worker, such as in ``rank_0_ascend_pt``.
    """
    stem = name.removesuffix(SUFFIX)
    match = _SPAN.fullmatch(stem)
    if (
        match is None
        or not match.group(1)
        or len(match.group(2)) > _LONGEST_STAMP
        or (len(match.group(2)) < 8 and _RANK_BEFORE.fullmatch(match.group(1)))
    ):
        return FileName(stem or name, -1, expected=stem != name)
    after = (match.group(3) or "")[:_DIGITS_AFTER].ljust(_DIGITS_AFTER, "0")
    before = match.group(2)
    if _TIME_OF_DAY.fullmatch(before):
        before = before.ljust(_LONGEST_TIME, "0")
    return FileName(match.group(1), int(before + after), expected=stem != name)


def content_of(folder: str, files: Sequence[str]) -> list[str]:
    """Return the files of a directory that are read, none if it is not an output."""
    files_of_kind = [file for file in files if kind_of(file) is not None]
    if folder != OUTPUT and all(kind_of(file) == COMMUNICATION for file in files_of_kind):
        return []  # other tools write files of this name, too
    return files_of_kind


def description_files(files: Sequence[str]) -> list[str]:
    """Return the files beside the output that describe how it was recorded."""
    return [file for file in files if INFO.fullmatch(file) or file == METADATA]


def searched_folders(folder: str, names: list[str], files: Sequence[str]) -> tuple[list[str], str]:
    """Decide which parts of a directory are searched for traces of other formats.

    Parameters
    ----------
    folder : str
        Its name.
    names : list of str
        The directories in it; those that need not be searched are taken out.
    files : sequence of str
        The files in it.

    Returns
    -------
    done : list of str
        Files that need not be probed for other formats.
    reason : str
        Why nothing can be read here although the profiler wrote it; empty otherwise.
    """
    if _OTHER_TOOLS in names:
        names.remove(_OTHER_TOOLS)
    if folder == OUTPUT:
        names.clear()
        return list(files), "" if content_of(folder, files) else _without_content(files)
    content = content_of(folder, files)
    is_one = folder.endswith(SUFFIX)
    if not (content or is_one or OUTPUT in names):
        return [], ""
    if is_one:
        raw = OUTPUT not in names and not content
        names[:] = [OUTPUT] if OUTPUT in names else []
        return list(files), _NOT_ANALYSED if raw else ""
    names[:] = [name for name in names if not _RAW.fullmatch(name)]
    unread = [file for file in files if file in _UNREAD] if content else []
    return [*content, *unread, *description_files(files)], ""


_NOT_ANALYSED: Final = (
    f"it has no {OUTPUT}: raw data that is not analysed yet; run "
    "torch_npu.profiler.profiler.analyse(directory)"
)


def _without_content(files: Sequence[str]) -> str:
    reason = f"it has none of {', '.join(CONTENT)}"
    if any(file.endswith(_DATA_BASE) for file in files):
        reason += (
            ", but a database, which nbprof does not read; "
            "export_type=[torch_npu.profiler.ExportType.Text] writes the files"
        )
    return reason


def is_unread(path: AnyPath) -> bool:
    """Whether a path is inside a directory of the profiler but is not read."""
    holders = [
        part.endswith(SUFFIX) or part == OUTPUT for part in path.parent.as_posix().split("/")
    ]
    if not any(holders):
        return False
    is_output = path.name == OUTPUT and path.parent.name.endswith(SUFFIX)
    return not is_output and (path.parent.name != OUTPUT or kind_of(path.name) is None)


def files_beside(output: AnyPath) -> list[AnyPath]:
    """Return the local files beside an output that describe how it was recorded."""
    if not isinstance(output, Path):
        return []
    here = output.absolute()
    folder = here.parent if here.name == OUTPUT else here
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return []
    return [folder / name for name in description_files(names)]
