"""Peaks of NVIDIA's cards for desktops and workstations.

The architecture papers give the rates at the boost clock of each card. Tensor Cores of GeForce
cards accumulate products in fp32 at half of their rate, except those of int8 and fp4. Laptops have
chips of the same names with other rates, so they are not in this list.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from nbprof.analysis.costs.peaks.nvidia import ada, ampere
from nbprof.analysis.costs.peaks.peak import DevicePeak

Rates: TypeAlias = "dict[str, float]"

_BLACKWELL: Final = "RTX Blackwell architecture paper"
_PRO: Final = "RTX PRO Blackwell architecture paper"
_ADA: Final = "Ada architecture paper"
_GA102: Final = "GA102 architecture paper"
_TURING: Final = "Turing architecture paper"


def _geforce_50(fp32: float) -> Rates:
    """Return the rates of a GeForce card of Blackwell."""
    return {**_geforce_40(fp32), "fp4": 16 * fp32}


def _geforce_40(fp32: float) -> Rates:
    """Return the rates of a GeForce card of Ada."""
    return ada(fp32, fp32, 2 * fp32, 4 * fp32, 8 * fp32)


def _geforce_30(fp32: float) -> Rates:
    """Return the rates of a GeForce card of Ampere."""
    return ampere(fp32, fp32, 2 * fp32, 8 * fp32)


def _pro(fp32: float) -> Rates:
    """Return the rates of a workstation card of Blackwell, whose Tensor Cores are not halved."""
    return {**ada(fp32, 2 * fp32, 4 * fp32, 8 * fp32, 8 * fp32), "fp4": 16 * fp32}


def _turing(fp32: float, fp16: float, int8: float) -> Rates:
    return {"fp32": fp32, "fp16": fp16, "int8": int8}


#: Name, rates, memory in TB/s, links in GB/s, source. Before the names that they begin with.
_CARDS: Final[tuple[tuple[str, Rates, float, float, str], ...]] = (
    # NVIDIA RTX PRO Blackwell GPU Architecture paper and the data sheets of the three editions
    ("RTX PRO 6000 Blackwell Server", _pro(120), 1.597, 128, "RTX PRO 6000 Server data sheet"),
    ("RTX PRO 6000 Blackwell Max-Q", _pro(110.1), 1.792, 128, "RTX PRO 6000 Max-Q data sheet"),
    ("RTX PRO 6000 Blackwell", _pro(125.95), 1.792, 128, _PRO),
    # NVIDIA RTX Blackwell GPU Architecture paper, appendix
    ("RTX 5090", _geforce_50(104.8), 1.792, 128, _BLACKWELL),
    ("RTX 5080", _geforce_50(56.3), 0.96, 128, _BLACKWELL),
    ("RTX 5070 Ti", _geforce_50(43.9), 0.896, 128, _BLACKWELL),
    ("RTX 5070", _geforce_50(30.9), 0.672, 128, _BLACKWELL),
    # Data sheets of the workstation cards of Ada
    ("RTX 6000 Ada", ada(91.1, 182.1, 364.2, 728.5, 728.5), 0.96, 64, "RTX 6000 Ada data sheet"),
    ("RTX 5000 Ada", ada(65.3, 130.6, 261.1, 522.1, 522.1), 0.576, 64, "RTX 5000 Ada data sheet"),
    # NVIDIA Ada GPU Architecture paper, appendix A; the product pages of the later SUPER cards
    ("RTX 4090 D", _geforce_40(73.5), 1.008, 64, "RTX 4090 D specifications"),
    ("RTX 4090", _geforce_40(82.6), 1.008, 64, _ADA),
    ("RTX 4080 SUPER", _geforce_40(52.2), 0.736, 64, "RTX 4080 SUPER specifications"),
    ("RTX 4080", _geforce_40(48.7), 0.717, 64, _ADA),
    ("RTX 4070 Ti SUPER", _geforce_40(44.1), 0.672, 64, "RTX 4070 Ti SUPER specifications"),
    ("RTX 4070 Ti", _geforce_40(40.1), 0.504, 64, _ADA),
    ("RTX 4070 SUPER", _geforce_40(35.5), 0.504, 64, "RTX 4070 SUPER specifications"),
    ("RTX 4070", _geforce_40(29.1), 0.504, 64, _ADA),
    ("RTX 4060 Ti", _geforce_40(22.1), 0.288, 32, _ADA),
    ("RTX 4060", _geforce_40(15.1), 0.272, 32, _ADA),
    # Data sheets of the workstation cards of Ampere
    ("RTX A6000", ampere(38.7, 77.4, 154.8, 309.7), 0.768, 112.5, "RTX A6000 data sheet"),
    ("RTX A5500", ampere(34.1, 68.2, 136.4, 272.8), 0.768, 112.5, "RTX A5500 data sheet"),
    ("RTX A5000", ampere(27.8, 55.6, 111.1, 222.2), 0.768, 112.5, "RTX A5000 data sheet"),
    ("RTX A4500", ampere(23.7, 47.3, 94.6, 189.2), 0.64, 112.5, "RTX A4500 data sheet"),
    ("RTX A4000", ampere(19.2, 38.3, 76.7, 153.4), 0.448, 64, "RTX A4000 data sheet"),
    # NVIDIA Ampere GA102 GPU Architecture paper, appendices; product pages of the later cards
    ("RTX 3090 Ti", _geforce_30(40), 1.008, 112.5, _GA102),
    ("RTX 3090", _geforce_30(35.6), 0.936, 112.5, _GA102),
    ("RTX 3080 Ti", _geforce_30(34.1), 0.912, 64, "RTX 3080 Ti specifications"),
    ("RTX 3080", _geforce_30(29.8), 0.76, 64, _GA102),
    ("RTX 3070 Ti", _geforce_30(21.7), 0.608, 64, "RTX 3070 Ti specifications"),
    ("RTX 3070", _geforce_30(20.3), 0.448, 64, _GA102),
    ("RTX 3060 Ti", _geforce_30(16.2), 0.448, 64, "RTX 3060 Ti specifications"),
    ("RTX 3060", _geforce_30(12.7), 0.36, 64, "RTX 3060 specifications"),
    # NVIDIA Turing GPU Architecture paper, tables 1, 4 and 5
    ("Quadro RTX [68]000", _turing(16.3, 130.5, 261), 0.672, 100, _TURING),
    ("TITAN RTX", _turing(16.3, 130.5, 261), 0.672, 100, _TURING),
    ("RTX 2080 Ti", _turing(13.4, 53.8, 215.2), 0.616, 100, _TURING),
    ("RTX 2080 SUPER", _turing(11.2, 44.6, 178.4), 0.496, 50, "RTX 2080 SUPER specifications"),
    ("RTX 2080", _turing(10.1, 40.3, 161.1), 0.448, 50, _TURING),
    ("RTX 2070 SUPER", _turing(9.1, 36.2, 145), 0.448, 50, "RTX 2070 SUPER specifications"),
    ("RTX 2070", _turing(7.5, 29.9, 119.4), 0.448, 32, _TURING),
    # TITAN V specifications; the rate of Tensor Cores at the boost clock, as for the other cards
    ("TITAN V", {"fp64": 7.4, "fp32": 14.9, "fp16": 119.2}, 0.653, 32, "TITAN V specifications"),
)  # fmt: skip

PEAKS: Final = tuple(
    DevicePeak(
        name.replace("[68]", "8"),
        # not those whose names begin with it, nor chips for laptops
        rf"\b{name}\b(?! (?:Ti|SUPER|D|Laptop|Mobile|with Max-Q)\b)",
        rates,
        memory,
        link,
        source,
    )
    for name, rates, memory, link, source in _CARDS
)
