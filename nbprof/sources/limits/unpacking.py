"""Limits the decompressed size of files, so that a small file cannot exhaust memory."""

from __future__ import annotations

from nbprof.defaults import options


def unpacking_budget(packed: int) -> int:
    """Return the bytes that a file of a size in bytes may unpack to."""
    budget: int = max(options.unpacked_bytes, options.unpacked_ratio * packed)
    return budget


def over_budget(packed: int, budget: int, packing: str) -> str:
    """Return the message about a file that exceeds its budget, with the options that raise it.

    Parameters
    ----------
    packed, budget : int
        Its size, and its budget.
    packing : str
        The name of its format.
    """
    from nbprof.model.units import format_bytes  # here, since it imports Arrow

    return (
        f"{format_bytes(packed)} of {packing} data unpack to more than {format_bytes(budget)}, the"
        " limit of nbprof.options.unpacked_bytes and unpacked_ratio; what comes after is not read"
    )
