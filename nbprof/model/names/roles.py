"""Classifies host slices and kernels by their names: operators, data loading, training.

Old recorders write everything as operators, newer ones write the user's and the framework's
ranges as annotations; Lightning writes calls of modules and its own phases as either. All tables
use `operator_rows` to decide which rows count as operators.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.links.host_nesting import nesting_of
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.names.name_tests import name_test, relaxed
from nbprof.model.trace import kinds
from nbprof.model.trace.event_types import has_types, rows_of_types

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.model.names.distinct_names import Names
    from nbprof.model.trace.trace_data import TraceData

Mask = npt.NDArray[np.bool_]

#: Ranges around whole models that the framework itself records as operators.
_WRAPPERS = frozenset({"DataParallel.forward", "DistributedDataParallel.forward"})


#: Prefix of the autograd engine's range for each node of a backward pass, in newer recordings.
AUTOGRAD: Final = "autograd::engine::evaluate_function"

#: Prefixes that Lightning adds to the names of modules and of its own phases.
LIGHTNING_MODULE: Final = "[pl][module]"
LIGHTNING_PHASE: Final = "[pl][profile]"

#: Names of operators and labels that occur only in training. They match whole words, however
#: joined, as in `loss.backward`, `aten::convolution_backward`, `AddmmBackward0`.
_TRAINING: Final = re.compile(
    r"autograd::engine|Backward(?:\d|$)|\boptimi[sz]er\b"
    r"|(?<![a-z])(?:backward|bwd|zero_grad|optimizer_step|train_step|training_step)(?![a-z])",
    re.IGNORECASE,
)
#: Names of kernels that occur only in training. Gradients of inputs (dgrad) are also computed
#: forward, by transposed convolutions.
_TRAINING_KERNEL: Final = re.compile(
    r"backward|(?<![a-z])bwd(?![a-z])|bprop|wgrad|(?<!h)adam|FusedSgd|sgd_kernel", re.IGNORECASE
)


@name_test(r"^enumerate\(")
def _is_data_loader(name: str) -> bool:
    """Whether a slice is the wait for the next batch."""
    loader = name.startswith("enumerate(DataLoader)#") and name.endswith(".__next__")
    return loader or name.startswith("enumerate(DataPipe)#")


def _is_optimizer(name: str) -> bool:
    """Whether a slice is a range that an optimizer records."""
    return name.startswith("Optimizer.")


@name_test(rf"^Optimizer\.|{relaxed(_TRAINING.pattern)}")
def is_training(name: str) -> bool:
    """Whether an operator or a label is a part of a backward pass or of an optimizer."""
    return _is_optimizer(name) or _TRAINING.search(name) is not None


@name_test(relaxed(_TRAINING_KERNEL.pattern))
def is_training_kernel(name: str) -> bool:
    """Whether a kernel is a part of a backward pass or of an optimizer."""
    return _TRAINING_KERNEL.search(name) is not None


@name_test(r"^(?:enumerate\(|Optimizer\.)|DataParallel\.forward$")
def is_wrapper(name: str) -> bool:
    """Whether a slice is recorded as an operator but is not one."""
    return _is_data_loader(name) or _is_optimizer(name) or name in _WRAPPERS


#: Labels that libraries give their own work, also PyTorch's own.
_LIBRARY: Final = re.compile(
    r"^(?:Optimizer\.\w+#|ProfilerStep#|FSDP::"
    r"|(?:DistributedData|FullyShardedData|Data)Parallel\.\w"
    r"|## Call CompiledFxGraph |Torch-Compiled Region|TorchDynamo |AOTDispatcher "
    r"|Pregraph bytecode)|\(dynamo_timed\)$"
)


@name_test(rf"^enumerate\(|{_LIBRARY.pattern}")
def is_library_label(name: str) -> bool:
    """Whether a label is one of the framework or of its libraries, not one of the user.

    These are labels of data loaders, optimizers, parallel modules and compiled regions. Those of
    collectives are recognized by `communication_names`.
    """
    return _is_data_loader(name) or _LIBRARY.search(name) is not None


def names_of(model: TraceData, table: str) -> Names:
    """Return the distinct names of "host" or "device", to put tests to; by their codes."""
    from nbprof.model.names.distinct_names import Names  # with Arrow, which readers do not import

    key = ("distinct names", table)
    return model.as_read.cached(key, lambda: Names(model.values(table, "name")))


def named(model: TraceData, table: str, test: Callable[[str], bool]) -> Mask:
    """Return which rows of "host" or "device" have a name that passes a test.

    A C++ name may pass in its demangled or its recorded form.
    """
    passes = names_of(model, table).passing(test)
    for code, name in model.recorded_names(table).items():
        passes[code] |= test(name)
    codes = model.column(table, "name")
    if not passes.any():
        return np.zeros(len(codes), bool)
    is_match: Mask = passes[codes] & (codes >= 0)
    return is_match


def rows_of_kinds(model: TraceData, table: str, *codes: int) -> Mask:
    """Return which rows of "host" or "device" have one of some kinds."""
    kind = model.column(table, "kind")
    rows = np.zeros(len(kind), bool)
    for code in codes:
        rows |= kind == code
    return rows


def operator_rows(model: TraceData) -> Mask:
    """Return which host rows are operators, shape (host rows,)."""
    return model.cached("operator rows", lambda: _find_operator_rows(model))


def innermost_operators(model: TraceData) -> npt.NDArray[np.int64]:
    """Return the innermost operator around every host row, -1 if none, shape (host rows,)."""
    return model.cached(
        "innermost operator",
        lambda: nearest_ancestor(nesting_of(model).parent, operator_rows(model)),
    )


def data_loader_rows(model: TraceData) -> Mask:
    """Return which host rows wait for a data loader, shape (host rows,)."""
    return model.cached("data loader rows", lambda: _find_data_loader_rows(model))


def _find_operator_rows(model: TraceData) -> Mask:
    is_operator = model.column("host", "kind") == kinds.OPERATOR
    rows: Mask = is_operator & ~named(model, "host", is_wrapper)
    return rows


def _find_data_loader_rows(model: TraceData) -> Mask:
    named_so = named(model, "host", _is_data_loader)
    named_so &= rows_of_kinds(model, "host", kinds.OPERATOR, kinds.ANNOTATION)
    return named_so | rows_of_types(model, "Dataloader") if has_types(model) else named_so


def overhead_threads(model: TraceData) -> Mask:
    """Return which threads hold only the profiler's own work, whose threads are not recorded.

    Returns
    -------
    ndarray of bool, shape (threads,)
    """
    thread, threads = model.column("host", "thread"), model.tables["threads"].num_rows
    own = np.bincount(thread[model.column("host", "kind") == kinds.OVERHEAD], minlength=threads)
    found: Mask = (own > 0) & (own == np.bincount(thread, minlength=threads))
    return found
