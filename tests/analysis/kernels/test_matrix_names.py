"""What real names of kernels say of matrix units, and in which type they multiply.

The names in ``kernel_names.json`` are from recordings and public profiles of 2021 to 2026, long
ones cut inside of their templates; beside those that are used stands the type, empty where the
name does not tell.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nbprof.analysis.kernels.matrix_dtypes import DTYPES, dtype_by_name
from nbprof.analysis.kernels.matrix_names import function_of, use_by_name

NAMES = json.loads(Path(__file__).with_name("kernel_names.json").read_text("utf-8"))
USED = [(name, dtype) for names in NAMES["used"].values() for name, dtype in names]
NOT_USED = [name for names in NAMES["not used"].values() for name in names]


@pytest.mark.parametrize(("name", "dtype"), USED)
def test_used(name: str, dtype: str) -> None:
    assert use_by_name(name) is True
    assert (dtype_by_name(name) or "") == dtype
    assert not dtype or dtype in DTYPES


@pytest.mark.parametrize("name", NOT_USED)
def test_not_used(name: str) -> None:
    assert use_by_name(name) is False


@pytest.mark.parametrize("name", NAMES["unknown"])
def test_unknown(name: str) -> None:
    assert use_by_name(name) is None


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("void at::native::(anonymous namespace)::cat<float, 4>(float*)", "at::native::cat"),
        (
            "std::enable_if<(((8)>(0)))&&a<b>::exists, void>::type vllm::norm<c, 8>(c*)",
            "vllm::norm",
        ),
        ("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bEEvPT0_", "aiter::add_rmsnorm_quant_kernel"),
        ("_Z10fill_floatPfi", "fill_float"),
        ("volta_sgemm_128x64_nn", "volta_sgemm_128x64_nn"),
        ("", ""),
    ],
)
def test_function_of(name: str, function: str) -> None:
    assert function_of(name) == function
