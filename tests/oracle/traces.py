"""Which reference trace each file of figures belongs to, and how exact its times are."""

from __future__ import annotations

import functools
import gzip
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.sources import discover, read

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

PLUGIN = {
    "resnet50_num_workers_0__worker0.1623143089861": "kineto/resnet50_num_workers_0",
    "resnet50_num_workers_4__worker0.1623212756351": "kineto/resnet50_num_workers_4",
    "hta_nccl_data": "kineto/a100_nccl",
    "hta_ns_resolution_rank0": "kineto/v100_ns_resolution",
    "hta_trace_diff_control": "kineto/diff_control",
    "hta_trace_diff_test": "kineto/diff_test",
    "hta_mi250_minitoy": "kineto/mi250_minitoy",
    "tracelens_h100_bert-small": "kineto/h100_bert",
    "tracelens_h100_Qwen1.5-0.5B": "kineto/h100_qwen",
    "tracelens_b200_eager": "kineto/b200_eager",
    "torchcpu_convnet_dl": "torchcpu/convnet_dl/logs",
    "torchcpu_ddp_gloo_rank0": "torchcpu/ddp_gloo/logs/worker0.1795253480071511644.pt.trace.json",
    "torchcpu_ddp_gloo_rank1": "torchcpu/ddp_gloo/logs/worker1.1795253480072219842.pt.trace.json",
    "torchcpu_labels_bare": "torchcpu/labels_noschedule/trace_bare.json",
    "torchcpu_labels_mem_only": "torchcpu/labels_noschedule/trace_mem_only.json",
    "torchcpu_labels_stack": "torchcpu/labels_noschedule/trace_stack.json",
    "torchcpu_memtimeline": "torchcpu/memtimeline/trace.json.gz",
    "torchcpu_transformer_gz_0": (
        "torchcpu/transformer_gz/logs/worker0.1795253467117205291.pt.trace.json.gz"
    ),
    "torchcpu_transformer_gz_1": (
        "torchcpu/transformer_gz/logs/worker0.1795253469616286470.pt.trace.json.gz"
    ),
}
#: Those with memory records.
MEMORY = tuple(
    name
    for name in PLUGIN
    if name.startswith(("resnet50", "tracelens_h100", "torchcpu"))
    and name != "torchcpu_labels_bare"
)
#: The traces on which every figure must be equal.
EXACT = tuple(name for name in PLUGIN if name.startswith("resnet50"))

TRACELENS = {
    "tracelens_h100_bert": "kineto/h100_bert",
    "tracelens_h100_qwen": "kineto/h100_qwen",
    "tracelens_b200_eager": "kineto/b200_eager",
    "tracelens_mi300_qwen": "kineto/mi300_qwen",
    "tracelens_hta_nccl_parser_config": "kineto/a100_nccl",
    "tracelens_hta_ns_resolution": "kineto/v100_ns_resolution",
}


@dataclass(frozen=True)
class Oracle:
    """What another tool says about one trace, and our model of it.

    Attributes
    ----------
    name : str
        Name of the file of figures.
    figures : dict
        Its content.
    model : TraceModel
        The trace as we read it.
    step_us : float
        How far apart neighbouring float64 times of the trace are, which is how exact a tool that
        keeps them so can be; 0 where the file holds whole microseconds.
    """

    name: str
    figures: dict[str, Any]
    model: TraceModel
    step_us: float


def open_oracle(tool: str, name: str, shared_oracle: Path, shared_data: Path) -> Oracle:
    """Read the figures and the trace that they are about; a tool may have a view behind a space."""
    tool = tool.split(maxsplit=1)[0]
    path = (PLUGIN if tool == "kineto_plugin" else TRACELENS)[name]
    figures = json.loads((shared_oracle / tool / f"{name}.json").read_text(encoding="utf-8"))
    model = open_trace(shared_data / path)
    return Oracle(name, figures, model, _float_step(shared_data / path))


@functools.lru_cache(maxsize=2)
def open_trace(path: Path) -> TraceModel:
    """Read the only trace at a path."""
    (file,) = discover(path).files
    return read(file, progress=False)


def _float_step(path: Path) -> float:
    """Return the spacing of float64 numbers at the times of a file, 0 for whole microseconds."""
    (file,) = discover(path).files
    raw = Path(file.path).read_bytes()
    text = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    times = re.findall(rb'"(ts|dur)": *"?([0-9.]+)', text)
    if not any(b"." in value for _, value in times):
        return 0.0
    return float(np.spacing(max(float(value) for key, value in times if key == b"ts")))
