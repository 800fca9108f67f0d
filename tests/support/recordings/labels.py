"""A small PyTorch trace of an inference engine that labels its iterations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

#: One batch of prompts, then three of single tokens.
LABELS = ("step[EXTEND bs=15 toks=812]", "step[DECODE bs=15]", "step[DECODE bs=15]",
          "step[DECODE bs=14]")  # fmt: skip

EPOCH = 1_700_000_000_000_000


def labelled_events(labels: Sequence[str] = LABELS, *, late: int = 12) -> list[dict[str, Any]]:
    """Return an iteration of 100 µs for each label, 5 µs apart, with four kernels each.

    Kernels start `late` µs after their launch, so that the last one outlasts its iteration.
    """
    events = []
    for i, label in enumerate(labels):
        start = EPOCH + 105 * i
        events.append(_slice("user_annotation", label, start, 100))
        for j in range(4):
            at, link = start + 5 + 24 * j, {"External id": 4 * i + j + 1}
            call = {**link, "correlation": 4 * i + j + 1}
            events.append(_slice("cpu_op", "aten::mm", at, 20, **link))
            events.append(_slice("cuda_runtime", "cudaLaunchKernel", at + 3, 5, **call))
            work = _slice("kernel", "gemm", at + late, 18, **call, device=0, stream=7)
            events.append({**work, "pid": 0, "tid": 7})
    return events


def write_labelled(path: Path, labels: Sequence[str] = LABELS, **options: Any) -> Path:
    """Write such a trace."""
    path.parent.mkdir(parents=True, exist_ok=True)
    device = {"id": 0, "name": "Test GPU", "totalGlobalMem": 2**34, "numSms": 108}
    device |= {"computeMajor": 9, "computeMinor": 0}
    events = labelled_events(labels, **options)
    path.write_text(
        json.dumps({"schemaVersion": 1, "deviceProperties": [device], "traceEvents": events})
    )
    return path


def _slice(category: str, name: str, start: int, duration: int, **args: Any) -> dict[str, Any]:
    place = {"pid": 1, "tid": 1, "ts": start, "dur": duration}
    return {"ph": "X", "cat": category, "name": name, **place, "args": args}
