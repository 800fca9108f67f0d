"""Builds Ascend directories for tests and reads them as discovery finds them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from nbprof.sources import discover, read

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

STEPS = (
    "Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
    "Communication(Not Overlapped and Exclude Receive)"
)


def output_folder(top: Path, name: str = "w0_20250101000000000_ascend_pt") -> Path:
    """Make an empty directory of a worker and span, in a run, and return that for its output."""
    path = top / "run" / name / "ASCEND_PROFILER_OUTPUT"
    path.mkdir(parents=True)
    return path


def table(header: str, *rows: str) -> str:
    """Return lines as a file."""
    return "\n".join([header, *rows]) + "\n"


def model_of(folder: Path, *, strict: bool = False, **files: Any) -> TraceModel:
    """Write files by their names without ending, and read the directory."""
    for name, content in files.items():
        told = name in {"communication", "trace_view"}
        text = content if isinstance(content, str | bytes) else json.dumps(content)
        raw = text if isinstance(text, bytes) else text.encode()
        (folder / f"{name}.{'json' if told else 'csv'}").write_bytes(raw)
    (file,) = discover(folder).files
    return read(file, strict=strict, progress=False)
