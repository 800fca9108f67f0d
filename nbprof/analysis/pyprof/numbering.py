"""Numbers the kernels of each operator, and finds the forward calls of backward kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nbprof.analysis.pyprof.records import Record

#: Cells that call several kernels without a sequence number of their own.
_CELLS: Final = ("LSTMCell", "GRUCell", "RNNCell")


def number_kernels(records: Iterable[Record]) -> None:
    """Choose the sequence number of each kernel, and count the kernels of each operator.

    Parameters
    ----------
    records : iterable of Record
        In order of time. In the forward pass a kernel has the smallest number above that of the
        kernel before, or that number again; in the backward pass its smallest one.
    """
    before, ordinal, operators = -1, -1, None
    for one in records:
        known = one.sequences
        chosen = None
        if known:
            if one.is_backward:
                chosen = known[0]
            else:
                later = [number for number in known if number > before]
                chosen = later[0] if later else before
        again = chosen is not None and chosen == before and one.operators == operators
        cell = (
            one.operators[:1] == ["forward"]
            and one.operators == operators
            and one.modules[:1] in [[cell] for cell in _CELLS]
        )
        ordinal = ordinal + 1 if again or cell else 0
        one.ordinal = ordinal
        one.sequences = [number for number in known if number == chosen]
        one.other_sequences = [number for number in known if number != chosen]
        before = before if chosen is None else chosen
        operators = one.operators


def link_backward(records: Iterable[Record]) -> None:
    """Give kernels of the backward pass the calls of the last forward kernel with their number."""
    own: dict[int, Record] = {}
    other: dict[int, Record] = {}
    for one in records:
        if not one.is_backward:
            own.update(dict.fromkeys(one.sequences, one))
            other.update(dict.fromkeys(one.other_sequences, one))
        elif not one.calls and one.sequences:
            number = one.sequences[0]
            forward = own.get(number) or other.get(number)
            if forward is not None:
                one.calls, one.modules = forward.calls, forward.modules
                one.operators = forward.operators
                one.layers, one.trace = forward.layers, forward.trace
