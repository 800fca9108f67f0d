"""The peaks of devices, checked by what they consist of: units, clocks and pins of the memory."""

from __future__ import annotations

import pytest

import nbprof
from nbprof.analysis.costs.peaks.known import known_peaks, peak_of

#: Recorded name; multiprocessors or compute units, their 16-bit operations per clock (dense, with
#: fp32 accumulation) and the clock in MHz; pins of the memory and Gbit/s of each. The clocks are
#: those at which the vendor states the rate: of H100 SXM 1830 MHz for Tensor Cores.
DEVICES = [
    ("NVIDIA H100 80GB HBM3", 132, 4096, 1830, 5120, 5.234),
    ("NVIDIA H100 PCIe", 114, 4096, 1620, 5120, 3.19),
    ("NVIDIA A100-SXM4-40GB", 108, 2048, 1410, 5120, 2.43),
    ("NVIDIA A100-SXM4-80GB", 108, 2048, 1410, 5120, 3.186),
    ("NVIDIA A40", 84, 1024, 1740, 384, 14.5),
    ("NVIDIA A30", 56, 2048, 1440, 3072, 2.43),
    ("NVIDIA A10", 72, 1024, 1695, 384, 12.5),
    ("NVIDIA A10G", 80, 512, 1710, 384, 12.5),
    ("NVIDIA A2", 10, 1024, 1770, 128, 12.5),
    ("NVIDIA L40S", 142, 1024, 2490, 384, 18),
    ("NVIDIA L40", 142, 512, 2490, 384, 18),
    ("NVIDIA L20", 92, 512, 2520, 384, 18),
    ("NVIDIA L4", 58, 1024, 2040, 192, 12.5),
    ("Tesla V100-SXM2-32GB", 80, 1024, 1530, 4096, 1.752),
    ("Tesla V100-PCIE-16GB", 80, 1024, 1370, 4096, 1.752),
    ("Tesla V100S-PCIE-32GB", 80, 1024, 1597, 4096, 2.214),
    ("Tesla T4", 40, 1024, 1590, 256, 10),
    ("Tesla P100-SXM2-16GB", 56, 256, 1480, 4096, 1.43),
    ("Tesla P100-PCIE-16GB", 56, 256, 1303, 4096, 1.43),
    ("Tesla P100-PCIE-12GB", 56, 256, 1303, 3072, 1.43),
    ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 188, 1024, 2617, 512, 28),
    ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 188, 1024, 2288, 512, 28),
    ("NVIDIA GeForce RTX 5090", 170, 512, 2407, 512, 28),
    ("NVIDIA GeForce RTX 5080", 84, 512, 2617, 256, 30),
    ("NVIDIA GeForce RTX 5070 Ti", 70, 512, 2452, 256, 28),
    ("NVIDIA GeForce RTX 5070", 48, 512, 2512, 192, 28),
    ("NVIDIA RTX 6000 Ada Generation", 142, 1024, 2505, 384, 20),
    ("NVIDIA RTX 5000 Ada Generation", 100, 1024, 2550, 256, 18),
    ("NVIDIA GeForce RTX 4090", 128, 512, 2520, 384, 21),
    ("NVIDIA GeForce RTX 4090 D", 114, 512, 2520, 384, 21),
    ("NVIDIA GeForce RTX 4080 SUPER", 80, 512, 2550, 256, 23),
    ("NVIDIA GeForce RTX 4080", 76, 512, 2505, 256, 22.4),
    ("NVIDIA GeForce RTX 4070 Ti SUPER", 66, 512, 2610, 256, 21),
    ("NVIDIA GeForce RTX 4070 Ti", 60, 512, 2610, 192, 21),
    ("NVIDIA GeForce RTX 4070 SUPER", 56, 512, 2475, 192, 21),
    ("NVIDIA GeForce RTX 4070", 46, 512, 2475, 192, 21),
    ("NVIDIA GeForce RTX 4060 Ti", 34, 512, 2535, 128, 18),
    ("NVIDIA GeForce RTX 4060", 24, 512, 2460, 128, 17),
    ("NVIDIA RTX A6000", 84, 1024, 1800, 384, 16),
    ("NVIDIA RTX A5500", 80, 1024, 1665, 384, 16),
    ("NVIDIA RTX A5000", 64, 1024, 1695, 384, 16),
    ("NVIDIA RTX A4500", 56, 1024, 1650, 320, 16),
    ("NVIDIA RTX A4000", 48, 1024, 1560, 256, 14),
    ("NVIDIA GeForce RTX 3090 Ti", 84, 512, 1860, 384, 21),
    ("NVIDIA GeForce RTX 3090", 82, 512, 1695, 384, 19.5),
    ("NVIDIA GeForce RTX 3080 Ti", 80, 512, 1665, 384, 19),
    ("NVIDIA GeForce RTX 3080", 68, 512, 1710, 320, 19),
    ("NVIDIA GeForce RTX 3070 Ti", 48, 512, 1770, 256, 19),
    ("NVIDIA GeForce RTX 3070", 46, 512, 1725, 256, 14),
    ("NVIDIA GeForce RTX 3060 Ti", 38, 512, 1665, 256, 14),
    ("NVIDIA GeForce RTX 3060", 28, 512, 1777, 192, 15),
    ("Quadro RTX 6000", 72, 1024, 1770, 384, 14),
    ("NVIDIA TITAN RTX", 72, 1024, 1770, 384, 14),
    ("NVIDIA GeForce RTX 2080 Ti", 68, 512, 1545, 352, 14),
    ("NVIDIA GeForce RTX 2080 SUPER", 48, 512, 1815, 256, 15.5),
    ("NVIDIA GeForce RTX 2080", 46, 512, 1710, 256, 14),
    ("NVIDIA GeForce RTX 2070 SUPER", 40, 512, 1770, 256, 14),
    ("NVIDIA GeForce RTX 2070", 36, 512, 1620, 256, 14),
    ("NVIDIA TITAN V", 80, 1024, 1455, 3072, 1.7),
    ("AMD Instinct MI355X", 256, 4096, 2400, 8192, 8),
    ("AMD Instinct MI350X", 256, 4096, 2200, 8192, 8),
    ("AMD Instinct MI325X", 304, 2048, 2100, 8192, 6),
    ("AMD Instinct MI300X", 304, 2048, 2100, 8192, 5.2),
    ("AMD Instinct MI300A", 228, 2048, 2100, 8192, 5.2),
    ("AMD Instinct MI250X", 110, 1024, 1700, 4096, 3.2),
    ("AMD Instinct MI250", 104, 1024, 1700, 4096, 3.2),
    ("AMD Instinct MI210", 104, 1024, 1700, 4096, 3.2),
    ("AMD Instinct MI100", 120, 1024, 1502, 4096, 2.4),
]


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device[0])
def test_rates_follow_from_units_clocks_and_pins(
    device: tuple[str, int, int, float, int, float],
) -> None:
    recorded, units, flops, mhz, pins, gbit = device
    peak = peak_of(recorded)
    assert peak is not None
    assert peak.tflops["fp16"] == pytest.approx(units * flops * mhz * 1e6 / 1e12, rel=0.01)
    # data sheets cut bandwidths to two digits
    assert peak.memory_tb_per_s == pytest.approx(pins * gbit / 8 / 1e3, rel=0.025)


def test_types_of_half_the_size_have_at_least_the_rate() -> None:
    """Rates never fall with the size of the type: a mistyped row would."""
    for peak in known_peaks():
        sizes = [("tf32", "bf16"), ("bf16", "fp8"), ("fp8", "fp4"), ("fp64", "fp64_matrix")]
        for wide, narrow in sizes:
            if wide in peak.tflops and narrow in peak.tflops:
                assert peak.tflops[wide] <= peak.tflops[narrow] < 4.5 * peak.tflops[wide], peak.name
        assert peak.tflops.get("bf16", 0) in {0, peak.tflops.get("fp16"), 92.3}, peak.name
        assert 0.1 < (peak.memory_tb_per_s or 0) <= 8, peak.name
        assert 16 <= (peak.link_gb_per_s or 0) <= 1800, peak.name


@pytest.mark.parametrize(
    ("recorded", "name"),
    [
        ("NVIDIA GeForce RTX 4090 Laptop GPU", None), ("NVIDIA GeForce RTX 5090 D", None),
        ("NVIDIA GeForce RTX 3080 with Max-Q Design", None), ("NVIDIA RTX A5000 Laptop GPU", None),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", None), ("NVIDIA H20-3e", "H20-3e"),
        ("NVIDIA GH200 144G HBM3e", "GH200 144GB"), ("NVIDIA A800-SXM4-80GB", "A800 80GB"),
        ("NVIDIA A800 80GB PCIe", "A800 PCIe 80GB"), ("NVIDIA A800-SXM4-40GB", "A800 40GB"),
        ("NVIDIA L20", "L20"), ("NVIDIA L2", "L2"), ("NVIDIA GB300", "GB300"),
        ("NVIDIA B300 SXM6 AC", "B300"), ("Tesla P100-PCIE-12GB", "P100 PCIe 12GB"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000 Blackwell Server"),
        ("Quadro RTX 8000", "Quadro RTX 8000"),
    ],
)  # fmt: skip
def test_devices_whose_names_begin_alike_are_told_apart(recorded: str, name: str | None) -> None:
    found = peak_of(recorded)
    assert (found.name if found else None) == name


def test_a_part_of_a_device_has_the_rates_that_the_user_gives() -> None:
    with nbprof.options.having(device_peaks={"MIG 1g": {"bf16": 44.6}}):
        found = peak_of("NVIDIA A100-SXM4-40GB MIG 1g.5gb")
    assert found is not None
    assert found.tflops == {"bf16": 44.6}
