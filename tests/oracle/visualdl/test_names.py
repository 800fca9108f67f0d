"""Kernel names that imply matrix units: VisualDL's list compared with nbprof's."""

from __future__ import annotations

import pytest

from nbprof.analysis.kernels.matrix_names import use_by_name

#: visualdl.md §4: a name that has any of these in it.
THEIRS = [
    "h884",
    "s884",
    "h1688",
    "s1688",
    "hmma",
    "i8816",
    "16816",
    "dgrad_1x1_stride_2x2",
    "first_layer_wgrad_kernel",
    "conv1x1",
    "conv2d_c1_k1",
    "direct_group",
    "xmma_implicit_gemm",
    "xmma_sparse_conv",
    "xmma_warp_specialized_implicit_gemm",
    "xmma_gemm",
    "xmma_sparse_gemm",
    "c1688",
]
#: What only ours has (tables.md, matrix units), and a kernel of each: libraries of templates, and
#: what came after Ampere.
ONLY_OURS = {
    "tensorop": "cutlass_80_tensorop_f16_gemm_128x128",
    "tensor": "void cutlass_tensor16x8x8_kernel",
    "wgmma": "sm90_wgmma_kernel",
    "gmma": "cutlass3x_gmma_kernel",
    "imma": "volta_int8_imma_128x128",
    "bmma": "bmma_kernel",
    "dmma": "dmma_kernel",
    "mma_sync": "wmma_mma_sync_kernel",
    "nvjet": "nvjet_hsh_128x128_64x6_1x2_h_bz_coopA_NTN",
    "sm90_xmma": "sm90_xmma_fprop",
    "sm100": "cutlass3x_sm100_gemm",
}


@pytest.mark.parametrize("word", THEIRS)
def test_every_name_of_theirs_is_one_of_ours(word: str) -> None:
    assert use_by_name(f"void ampere_{word}_tn(float*)")


@pytest.mark.parametrize("name", ONLY_OURS.values(), ids=ONLY_OURS)
def test_what_only_ours_knows(name: str) -> None:
    assert use_by_name(name)
    assert not any(word in name for word in THEIRS)


@pytest.mark.parametrize("name", ["volta_sgemm_128x64_nn", "ncclDevKernel_AllReduce", "add kernel"])
def test_others_use_none(name: str) -> None:
    assert not use_by_name(name)
