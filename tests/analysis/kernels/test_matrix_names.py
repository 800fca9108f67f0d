"""Matrix units and data types that real kernel names imply.

The names in ``kernel_names.json`` are from recordings and public profiles of 2021 to 2026, long
ones cut inside of their templates; beside those that are used stands the type, empty where the
name does not tell.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nbprof.analysis.kernels import matrix_names
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


@pytest.mark.parametrize("start", ["fmha", "flashattn", "gemm_", "ck::", "compute"])
def test_of_very_long_names_both_ends_are_searched(
    start: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[int] = []
    found_in = matrix_names._Words.found_in

    def noted(words: matrix_names._Words, name: str) -> bool:
        searched.append(len(name))
        return found_in(words, name)

    monkeypatch.setattr(matrix_names._Words, "found_in", noted)
    use_by_name(start * 100_000)
    assert 0 < max(searched) < 10_000
    assert use_by_name(f"sm90_xmma_gemm_{'<x>' * 100_000}") is True
    assert use_by_name(f"{'<x>' * 100_000}sm90_xmma_gemm") is True


def test_patterns_are_compiled_when_a_name_may_contain_them() -> None:
    compiled = matrix_names._compiled
    compiled.cache_clear()
    assert use_by_name("void cutlass::Kernel<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>") is False
    few = compiled.cache_info().currsize
    words = [one for one in vars(matrix_names).values() if isinstance(one, matrix_names._Words)]
    for pattern in {pattern for one in words for pattern in one._patterns}:
        compiled(pattern)  # all of them are valid
    assert few < compiled.cache_info().currsize / 3
