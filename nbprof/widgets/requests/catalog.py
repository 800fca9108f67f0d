"""Handlers of ``hello``, ``catalog``, ``refresh`` and ``changes``: versions, and the files."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from nbprof.sources.recorders import patterns
from nbprof.widgets.downloads.loading_code import loading_code
from nbprof.widgets.requests import protocol
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.session.baseline import OTHER
from nbprof.widgets.session.profile_source import skipped_files
from nbprof.widgets.watching.file_check import NO_CHANGES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.sources import TraceFile
    from nbprof.sources.files.shared_names import SharedNames
    from nbprof.widgets.session.session import Progress, Session

#: Maximum number of skipped files sent to the browser; a log directory may contain thousands.
SKIPPED_SHOWN = 200

#: Words in names of files, without those of digits alone, such as times.
_WORD = re.compile(r"(?<![A-Za-z0-9])[0-9]*[A-Za-z][A-Za-z0-9]*")


def hello(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:  # noqa: ARG001
    """Return the versions of nbprof and the protocol."""
    return Reply(
        {
            "protocol": protocol.VERSION,
            "version": _version("nbprof"),
            "bokeh": _version("bokeh"),
        }
    )


def catalog(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:  # noqa: ARG001
    """List runs, workers, spans, skipped files, and the source."""
    readable = session.available
    skipped, names = skipped_files(readable), session.names
    result: dict[str, Any] = {
        "runs": _runs(readable.files if readable is not None else [], names),
        "skipped": [
            {"path": names.path(row["path"]), "reason": names.text(row["reason"])}
            for row in skipped[:SKIPPED_SHOWN]
        ],
        "skipped_count": len(skipped),
        "looked_for": patterns(),
        "source": names.source,
        "code": loading_code(readable),
    }
    other = session.baselines().get(OTHER)
    if other is not None:
        result["baselines"] = _runs(other.files, names)
    if session.failure is not None:
        result["failure"] = {
            "type": type(session.failure).__name__,
            "message": str(session.failure),  # in full, since this is not saved
        }
    return Reply(result)


def catalog_of_one(session: Session, file: TraceFile) -> dict[str, Any]:
    """Return the catalog for a view that has no kernel to read other files."""
    return {
        "runs": _runs([file], session.names),
        "skipped": [],
        "skipped_count": 0,
        "looked_for": patterns(),
        "source": session.names.source,
        "code": loading_code(session.available, session.names),
    }


def refresh(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Look for files again and return the new catalog."""
    session.refresh()
    return catalog(session, params, progress)


def changes(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:  # noqa: ARG001
    """Count the files that are new, changed or gone since the last search, opening none."""
    changes_ = None if session.files.watched else session.changes()
    counts = changes_ or NO_CHANGES
    return Reply({"checked": changes_ is not None, "words": counts.words, **counts._asdict()})


def _runs(files: list[TraceFile], names: SharedNames) -> list[dict[str, Any]]:
    runs: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for file in files:
        spans = runs.setdefault(file.run, {}).setdefault(file.worker, [])
        spans.append(
            {
                "span": file.span,
                "path": names.path(file.path),
                "bytes": file.bytes,
                "format": file.format,
                "device_type": file.device_type,
            }
        )
    for workers in runs.values():
        for spans in workers.values():
            _label(spans)
    return [
        {"run": run, "workers": [{"worker": w, "spans": spans} for w, spans in workers.items()]}
        for run, workers in runs.items()
    ]


def _label(spans: list[dict[str, Any]]) -> None:
    """Add to spans the words of their files that tell them apart, such as EXTEND and DECODE."""
    words = [
        _WORD.findall(str(span["path"]).replace("\\", "/").rpartition("/")[2]) for span in spans
    ]
    common = set.intersection(*map(set, words))
    labels = [" ".join(word for word in own if word not in common) for own in words]
    if len(spans) > 1 and all(labels) and len(set(labels)) == len(spans):
        for span, label in zip(spans, labels, strict=True):
            span["label"] = label


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # a source tree that is not installed
        return "unknown"
