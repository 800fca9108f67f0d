"""Handlers of ``hello``, ``catalog`` and ``refresh``: versions, and the runs of the profile."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from nbprof.sources.files.urls import shown_source
from nbprof.sources.recorders import patterns
from nbprof.widgets.profile_source import skipped_files
from nbprof.widgets.requests import protocol
from nbprof.widgets.requests.protocol import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.sources import TraceFile
    from nbprof.widgets.session import Progress, Session

#: Maximum number of skipped files sent to the browser; a log directory may contain thousands.
SKIPPED_SHOWN = 200


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
    skipped = skipped_files(readable)
    result: dict[str, Any] = {
        "runs": _runs(readable.files if readable is not None else []),
        "skipped": skipped[:SKIPPED_SHOWN],
        "skipped_count": len(skipped),
        "looked_for": patterns(),
        "source": str(shown_source(session.source)),
    }
    if session.failure is not None:
        result["failure"] = {
            "type": type(session.failure).__name__,
            "message": str(session.failure),
        }
    return Reply(result)


def catalog_of_one(session: Session, file: TraceFile) -> dict[str, Any]:
    """Return the catalog for a view that has no kernel to read other files."""
    return {
        "runs": _runs([file]),
        "skipped": [],
        "skipped_count": 0,
        "looked_for": patterns(),
        "source": str(shown_source(session.source)),
    }


def refresh(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Look for files again and return the new catalog."""
    session.refresh()
    return catalog(session, params, progress)


def _runs(files: list[TraceFile]) -> list[dict[str, Any]]:
    runs: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for file in files:
        spans = runs.setdefault(file.run, {}).setdefault(file.worker, [])
        spans.append(
            {
                "span": file.span,
                "path": str(file.path),
                "bytes": file.bytes,
                "format": file.format,
                "device_type": file.device_type,
            }
        )
    return [
        {"run": run, "workers": [{"worker": w, "spans": spans} for w, spans in workers.items()]}
        for run, workers in runs.items()
    ]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # a source tree that is not installed
        return "unknown"
