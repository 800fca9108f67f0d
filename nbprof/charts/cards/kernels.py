"""Card of the kernels view: kernel time by NPU core, as a donut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.charts.cards.cards import Card, CardChart

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

#: The tables that the card uses.
TABLES: Final = ("accelerator_cores",)

#: Colours of cores by their recorded names; all others share one colour.
_COLORS: Final = {
    "AI_CORE": "kernel",
    "AI_VECTOR_CORE": "slot0",
    "MIX_AIC": "slot2",
    "MIX_AIV": "slot6",
    "AI_CPU": "slot4",
    "DSA_SQE": "slot3",
    "HCCL": "communication",
    "COMMUNICATION": "communication",
    "": "other",
}


def kernel_cards(tables: Mapping[str, pa.Table]) -> list[Card]:
    """Return the card of NPU cores; an empty result for other devices.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        Tables of `TABLES`.
    """
    table = tables["accelerator_cores"]
    names = [name or "" for name in table["accelerator_core"].to_pylist()]
    if not names:
        return []
    series = tuple((name, name or "unknown", _COLORS.get(name, "slot9")) for name in names)
    chart = CardChart(
        "donut",
        "accelerator_cores",
        "accelerator_cores",
        "accelerator_core",
        series,
        value="total_us",
        title="Kernel time by accelerator core",
        hole="of kernels",
        low=True,
    )
    return [Card("accelerator_cores", "Cores", charts={"": (chart,)}, table="accelerator_cores")]
