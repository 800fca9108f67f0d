"""The owner of each memory record: its operator call, innermost module and call stack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import dense
from nbprof.analysis.memory.record_operators import CodedTexts, names_of_records
from nbprof.analysis.memory.records import (
    records_name_operators,
    separates_reserved,
    slice_of_record,
)
from nbprof.analysis.operators.calls import operator_calls
from nbprof.analysis.subtree_sums import Forest
from nbprof.model.links.call_stacks import call_stacks, names_of_frames
from nbprof.model.links.module_tree import ModuleTree
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.lookup import values_at
from nbprof.model.names.roles import (
    innermost_operators,
    is_wrapper,
    named,
    operator_rows,
    rows_of_kinds,
)
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Operators that only allocate; their caller is more informative.
_EMPTY: Final = "aten::empty"

#: Kinds of host rows that are call stack frames.
_FRAMES: Final = (kinds.PYTHON, kinds.MODULE)


@dataclass(frozen=True)
class Callers:
    """The calls that memory records are attributed to; arrays of shape (calls,).

    Attributes
    ----------
    row : ndarray of int64
        Host row.
    forest : Forest
        The nesting of the calls.
    call_of_host : ndarray of int64, shape (host rows,)
        Index of the call that a host row is, -1 for other rows.
    """

    row: Rows
    forest: Forest
    call_of_host: Rows


def callers(model: TraceModel) -> Callers:
    """Return the calls that allocate and release memory; computed once.

    These are the operator calls. If the recorder gives every event a type, they include ranges of
    the user and the framework, because much memory is released there, outside operators.
    """
    return model.cached("memory callers", lambda: _callers_of(model))


def call_of_record(model: TraceModel) -> Rows:
    """Return the operator call that made each memory record, shape (records,); computed once.

    Index in `callers` of the innermost call running on the record's thread, -1 for none.
    """
    return model.cached("call of memory record", lambda: _calls(model))


def operator_call_of_record(model: TraceModel) -> Rows:
    """Return the call of `operator_calls` that made each memory record, shape (records,).

    It is that of `call_of_record` but where the recorder gives every event a type: ranges of the
    user and the framework are no operators. -1 for none; computed once.
    """
    if not separates_reserved(model):
        return call_of_record(model)
    return model.cached("operator call of memory record", lambda: _operator_calls(model))


def operator_of_record(model: TraceModel) -> CodedTexts:
    """Return the operator shown in tables for each memory record; computed once.

    Operators that only allocate are shown after the slice that called them, as in ``aten::zeros
    (aten::empty)``. If records name their operators, these names are used.
    """
    if records_name_operators(model):
        return names_of_records(model)
    return model.cached("operator of memory record", lambda: _operators(model))


def module_of_record(model: TraceModel) -> CodedTexts:
    """Return the innermost module of each memory record; computed once.

    Records in the backward pass belong to the module of the forward operator.
    """
    return model.cached("module of memory record", lambda: _modules(model))


def stack_of_record(model: TraceModel) -> CodedTexts:
    """Return the call stack of each memory record; computed once.

    It is the record's own stack or, without one, that of its operator or of the slice around it.
    """
    return model.cached("stack of memory record", lambda: _stacks(model))


def stacks_of_held_blocks(model: TraceModel) -> CodedTexts:
    """Return the call stacks of the blocks held throughout, by row of their table.

    Codes are those of `stack_of_record`.
    """
    texts, renumbered = _merge_texts(
        stack_of_record(model).texts, model.values("memory_held", "call_stack")
    )
    return CodedTexts(renumbered[model.column("memory_held", "call_stack")], texts)


def _callers_of(model: TraceModel) -> Callers:
    if not separates_reserved(model):
        calls = operator_calls(model)
        return Callers(calls.row, calls.forest, calls.call_of_host)
    row = np.flatnonzero(_caller_rows(model))
    index = np.full(model.tables["host"].num_rows, -1, np.int64)
    index[row] = np.arange(len(row))
    above = nearest_ancestor(model.nesting.parent, _caller_rows(model))[row]
    return Callers(row, Forest.of(values_at(index, above)), index)


def _caller_rows(model: TraceModel) -> Mask:
    """Return which host rows memory is attributed to."""
    if not separates_reserved(model):
        return operator_rows(model)
    return rows_of_kinds(model, "host", kinds.OPERATOR, kinds.ANNOTATION, kinds.STEP)


def _operator_row(model: TraceModel) -> Rows:
    """Return the host row that each record is attributed to, -1 for none."""
    slice_ = slice_of_record(model)
    credited = _caller_rows(model)
    above = (
        nearest_ancestor(model.nesting.parent, credited)
        if separates_reserved(model)
        else innermost_operators(model)
    )
    inner = np.where(credited, np.arange(len(above)), above)
    return values_at(inner, slice_)


def _calls(model: TraceModel) -> Rows:
    return values_at(callers(model).call_of_host, _operator_row(model))


def _operator_calls(model: TraceModel) -> Rows:
    above = innermost_operators(model)
    inner = np.where(operator_rows(model), np.arange(len(above)), above)
    return values_at(operator_calls(model).call_of_host, values_at(inner, slice_of_record(model)))


def _operators(model: TraceModel) -> CodedTexts:
    calls = callers(model)
    call = call_of_record(model)
    used, inverse = np.unique(call, return_inverse=True)
    row = values_at(calls.row, used)
    names = model.values("host", "name")
    name = values_at(model.column("host", "name"), row)
    only_allocates = np.array([*(text.startswith(_EMPTY) for text in names), False], bool)
    caller = values_at(nearest_ancestor(model.nesting.parent, _callers(model)), row)
    caller_name = values_at(model.column("host", "name"), caller)
    caller_name = np.where(only_allocates[name], caller_name, -1)
    group, first = dense(name, caller_name)
    texts = [
        "" if n < 0 else names[n] if c < 0 else f"{names[c]} ({names[n]})"
        for n, c in zip(name[first].tolist(), caller_name[first].tolist(), strict=True)
    ]
    code = np.where(name >= 0, group, -1)
    return CodedTexts(code[inverse], texts)


def _callers(model: TraceModel) -> Mask:
    """Return which host rows can stand before an operator that only allocates."""
    kind = model.column("host", "kind")
    is_caller: Mask = operator_rows(model) | np.isin(kind, (kinds.STEP, kinds.MODULE))
    return is_caller | named(model, "host", is_wrapper)


def _modules(model: TraceModel) -> CodedTexts:
    tree = ModuleTree.of(model)
    labels = tree.labels()
    names = list(dict.fromkeys(labels))  # one for all places of a module
    number = {name: code for code, name in enumerate(names)}
    code = np.array([number[label] for label in labels], np.int64)
    return CodedTexts(values_at(code, values_at(tree.module, slice_of_record(model))), names)


def _stacks(model: TraceModel) -> CodedTexts:
    stacks, slice_ = call_stacks(model), slice_of_record(model)
    of_operator = values_at(stacks.code, _operator_row(model))
    code = np.where(of_operator >= 0, of_operator, values_at(stacks.code, slice_))
    used = np.unique(code[code >= 0])
    code = np.where(code >= 0, np.searchsorted(used, code), -1)
    texts = [stacks.texts[one] for one in used.tolist()]
    in_frame = (of_operator < 0) & np.isin(values_at(model.column("host", "kind"), slice_), _FRAMES)
    code, texts = _with_own_frame(model, code, texts, np.flatnonzero(in_frame))
    texts, renumbered = _merge_texts(texts, model.values("memory_stacks", "call_stack"))
    code[model.column("memory_stacks", "record")] = renumbered[
        model.column("memory_stacks", "call_stack")
    ]
    return CodedTexts(code, texts)


def _with_own_frame(
    model: TraceModel, code: Rows, texts: list[str], records: Rows
) -> tuple[Rows, list[str]]:
    """Prepend to the stack of records made directly in a Python frame the name of that frame."""
    names, place = names_of_frames(model)
    frame = values_at(
        place, values_at(model.column("host", "name"), slice_of_record(model)[records])
    )
    group, first = dense(frame, code[records])
    pairs = zip(frame[first].tolist(), code[records][first].tolist(), strict=True)
    stacks = [
        f"{names[name]};{texts[stack]}" if stack >= 0 else names[name] for name, stack in pairs
    ]
    joined, renumbered = _merge_texts(texts, stacks)
    code[records] = renumbered[group]
    return code, joined


def _merge_texts(texts: list[str], more: list[str]) -> tuple[list[str], Rows]:
    """Return both lists as one, and the index there of each text of the second; the last is -1."""
    place = {text: code for code, text in reversed(list(enumerate(texts)))}
    joined = list(texts)
    for text in more:
        if text not in place:
            place[text] = len(joined)
            joined.append(text)
    return joined, np.array([*(place[text] for text in more), -1], np.int64)
