"""Every family of formulas against cases computed by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from nbprof.analysis.costs.registry import FORMULAS, FormulaIndex
from tests.analysis.costs.support import inputs

FIND = FormulaIndex(tuple(FORMULAS.specs())).find


def cost(operator: str, types: str, shapes: list[Any], values: dict[int, Any] | None = None) -> Any:
    formula = FIND(operator)
    assert formula is not None, operator
    return tuple(formula.cost(inputs(operator, types, shapes, values)) or ())


# operator, types, shapes, values by argument, FLOPs, bytes
MATRIX_PRODUCTS = [
    # 2·4·2·8; 4 bytes · (4·8 + 8·2 + 4·2)
    ("aten::mm", "ff", [[4, 8], [8, 2]], {}, 128, 4 * (32 + 16 + 8)),
    # a bias has bytes and no operations; 2 bytes · (32 + 16 + 2 + 8)
    ("aten::addmm", "hhhss", [[2], [4, 8], [8, 2]], {3: 1, 4: 1}, 128, 2 * 58),
    # beta is 0: what would be added is not read
    ("aten::addmv_", "hhhss", [[4], [4, 8], [8]], {3: 0, 4: 1}, 64, 2 * (32 + 8 + 4)),
    # the result of integers has 4 bytes
    ("aten::_int_mm", "cc", [[4, 8], [8, 2]], {}, 128, 32 + 16 + 4 * 8),
    # a bias of the size of the result
    ("aten::addmm", "hhhss", [[4, 2], [4, 8], [8, 2]], {}, 128, 2 * (32 + 16 + 8 + 8)),
    ("aten::bmm", "bb", [[3, 4, 8], [3, 8, 2]], {}, 3 * 128, 2 * 3 * 56),
    ("aten::baddbmm", "fffss", [[3, 4, 2], [3, 4, 8], [3, 8, 2]], {}, 3 * 128, 4 * 3 * 64),
    # a weight N x K, and a bias
    ("aten::linear", "fff", [[5, 4, 8], [2, 8], [2]], {}, 5 * 128, 4 * (160 + 16 + 2 + 40)),
    # no bias was given
    ("aten::linear", "ff-", [[5, 4, 8], [2, 8]], {}, 5 * 128, 4 * (160 + 16 + 40)),
    # vectors, and batches that are broadcast
    ("aten::matmul", "ff", [[8], [8]], {}, 16, 4 * 17),
    ("aten::matmul", "ff", [[4, 8], [8]], {}, 64, 4 * (32 + 8 + 4)),
    ("aten::matmul", "ff", [[8], [8, 2]], {}, 32, 4 * (8 + 16 + 2)),
    ("aten::matmul", "ff", [[5, 1, 4, 8], [3, 8, 2]], {}, 15 * 128, 4 * (160 + 48 + 120)),
    ("aten::dot", "dd", [[7], [7]], {}, 14, 8 * 15),
    ("aten::addbmm", "fffss", [[4, 2], [3, 4, 8], [3, 8, 2]], {}, 3 * 128, 4 * 160),
    ("aten::outer", "ff", [[4], [3]], {}, 12, 4 * (7 + 12)),
    # 2·a·b·c·d for ab,bc->ac in batches d
    ("aten::einsum", "sT-", [[], [[7, 2, 3], [7, 3, 5]]], {0: "dab,dbc->dac"}, 420, None),
    # fp8 operands, a bf16 result (type 15), two scales of 4 bytes, no bias
    ("aten::_scaled_mm", "88ff--ss", [[16, 32], [32, 8], [], []], {6: 15},
     2 * 16 * 8 * 32, 16 * 32 + 32 * 8 + 8 + 2 * 16 * 8),
    # with a bias; the type of the result was not recorded and is taken as 2 bytes
    ("aten::_scaled_mm", "88ffb-ss", [[16, 32], [32, 8], [], [], [8]], {},
     2 * 16 * 8 * 32, 16 * 32 + 32 * 8 + 8 + 16 + 2 * 16 * 8),
    # a float32 result (type 6)
    ("aten::_scaled_mm", "88ff--ss", [[16, 32], [32, 8], [], []], {6: 6},
     2 * 16 * 8 * 32, 16 * 32 + 32 * 8 + 8 + 4 * 16 * 8),
    # two fp4 values in a byte: K is 64
    ("aten::_scaled_mm", "44ff--ss", [[16, 32], [32, 8], [], []], {6: 15},
     2 * 16 * 8 * 64, 16 * 32 + 32 * 8 + 8 + 2 * 16 * 8),
    # 10 rows in 3 groups with a matrix each
    ("aten::_grouped_mm", "bbi-s", [[10, 8], [3, 8, 4], [3]], {}, 2 * 10 * 8 * 4,
     2 * (80 + 96 + 40)),
    # the gradient of the weights: K in 3 groups
    ("aten::_grouped_mm", "bbi-s", [[8, 10], [10, 4], [3]], {}, 2 * 10 * 8 * 4,
     2 * (80 + 40 + 3 * 32)),
    ("aten::_weight_int8pack_mm", "bcb", [[4, 8], [2, 8], [2]], {}, 128,
     2 * 32 + 16 + 2 * 2 + 2 * 8),
    # an int4 weight 16 x 32 in tiles, groups of 32
    ("aten::_weight_int4pack_mm", "bisb", [[4, 32], [2, 2, 32, 1], [], [1, 16, 2]], {2: 32},
     2 * 4 * 16 * 32, 2 * 128 + 16 * 32 // 2 + 2 * 32 + 2 * 64),
    ("_C::cutlass_scaled_mm", "b88ff-", [[4, 2], [4, 8], [8, 2], [1], [1]], {}, 128,
     32 + 16 + 8 + 2 * 8),
]  # fmt: skip

CONVOLUTION = "aten::convolution"
X, W, OUT = [2, 3, 8, 8], [4, 3, 3, 3], 2 * 4 * 8 * 8
FULL = {3: [1, 1], 4: [1, 1], 5: [1, 1], 6: False, 7: [0, 0], 8: 1}
CONVOLUTIONS = [
    # padding keeps 8 x 8: 2 · 512 results · 27 products
    (CONVOLUTION, "ff-SSSsSs", [X, W], FULL, 2 * OUT * 27, 4 * (384 + 108 + OUT)),
    (CONVOLUTION, "fffSSSsSs", [X, W, [4]], FULL, 2 * OUT * 27, 4 * (384 + 108 + OUT + 4)),
    # stride 2: (8 + 2 - 2 - 1) // 2 + 1 = 4
    (CONVOLUTION, "ff-SSSsSs", [X, W], {**FULL, 3: [2, 2]}, 2 * 2 * 4 * 16 * 27,
     4 * (384 + 108 + 128)),
    # dilation 2: 8 + 2 - 4 - 1 + 1 = 6
    (CONVOLUTION, "ff-SSSsSs", [X, W], {**FULL, 5: [2, 2]}, 2 * 2 * 4 * 36 * 27,
     4 * (384 + 108 + 288)),
    # depthwise: 3 groups with one channel each
    (CONVOLUTION, "ff-SSSsSs", [X, [3, 1, 3, 3]], {**FULL, 8: 3}, 2 * 384 * 9,
     4 * (384 + 27 + 384)),
    # transposed, stride 2: (8-1)·2 - 2 + 2 + 1 = 15; each input spreads over 5·9 products
    (CONVOLUTION, "ff-SSSsSs", [X, [3, 5, 3, 3]], {**FULL, 3: [2, 2], 6: True}, 2 * 384 * 45,
     4 * (384 + 135 + 2 * 5 * 225)),
    # transposed in 3 groups: 3·5 channels; one number stands for both dimensions
    (CONVOLUTION, "ff-SSSsSs", [X, [3, 5, 3, 3]], {**FULL, 3: [2], 6: True, 8: 3}, 2 * 384 * 45,
     4 * (384 + 135 + 2 * 15 * 225)),
    ("aten::conv1d", "hh-SSSs", [[2, 3, 10], [4, 3, 5]], {3: [1], 4: [0], 5: [1], 6: 1},
     2 * 2 * 4 * 6 * 15, 2 * (60 + 60 + 48)),
    ("aten::conv3d", "ff-SSSs", [[1, 2, 4, 4, 4], [3, 2, 2, 2, 2]],
     {3: [1, 1, 1], 4: [0, 0, 0], 5: [1, 1, 1], 6: 1}, 2 * 3 * 27 * 16, 4 * (128 + 48 + 81)),
    # without a batch
    ("aten::conv2d", "ff-SSSs", [X[1:], W], {3: [1, 1], 4: [1, 1], 5: [1, 1], 6: 1},
     2 * 256 * 27, 4 * (192 + 108 + 256)),
    ("aten::conv_transpose2d", "ff-SSSsS", [X, [3, 5, 3, 3]],
     {3: [2, 2], 4: [1, 1], 5: [1, 1], 6: 1, 7: [1, 1]}, 2 * 384 * 45,
     4 * (384 + 135 + 2 * 5 * 256)),
    ("aten::cudnn_convolution", "ffSSSsss", [X, W], {2: [1, 1], 3: [2, 2], 4: [1, 1], 5: 1},
     2 * 128 * 27, 4 * (384 + 108 + 128)),
    ("aten::miopen_convolution", "fffSSSsss", [X, W, [4]],
     {3: [1, 1], 4: [2, 2], 5: [1, 1], 6: 1}, 2 * 128 * 27, 4 * (384 + 108 + 128 + 4)),
    ("aten::_slow_conv2d_forward", "ffSfSS", [X, W, [], [4]], {2: [3, 3], 4: [1, 1], 5: [1, 1]},
     2 * OUT * 27, 4 * (384 + 108 + OUT + 4)),
    # both gradients and that of the bias
    ("aten::convolution_backward", "fffSSSSsSsS", [[2, 4, 8, 8], X, W],
     {3: [4], 4: [1, 1], 5: [1, 1], 6: [1, 1], 7: False, 8: [0, 0], 9: 1,
      10: [True, True, True]},
     4 * OUT * 27, 4 * (2 * OUT + 2 * 384 + 2 * 108 + 4)),
    # only that by weight, as in the first layer
    ("aten::convolution_backward", "fffSSSSsSsS", [[2, 4, 8, 8], X, W],
     {7: False, 10: [False, True, False]}, 2 * OUT * 27, 4 * (OUT + 384 + 108)),
    # transposed: the input counts
    ("aten::convolution_backward", "fffSSSSsSsS", [[2, 5, 15, 15], X, [3, 5, 3, 3]],
     {7: True, 10: [True, False, False]}, 2 * 384 * 45, 4 * (2250 + 384 + 135)),
    ("aten::cudnn_convolution_backward_weight", "SffSSSsss", [[], [2, 4, 8, 8], X],
     {0: [4, 3, 3, 3]}, 2 * OUT * 27, 4 * (OUT + 384 + 108)),
    ("aten::cudnn_convolution_backward_input", "SffSSSsss", [[], [2, 4, 8, 8], W],
     {0: [2, 3, 8, 8]}, 2 * OUT * 27, 4 * (OUT + 384 + 108)),
]  # fmt: skip

# 2 sequences, 4 heads, 8 queries, 8 keys, 16 features
QKV = [[2, 4, 8, 16]] * 3
PAIRS = 2 * 4 * 8 * 8
#: 8·8 - 8·7/2 of each sequence and head
CAUSAL = 2 * 4 * 36
TOKENS = 2 * 4 * 8 * 16
ATTENTION = [
    ("aten::_scaled_dot_product_flash_attention", "bbbssss", QKV, {4: False}, 2 * PAIRS * 32,
     2 * 4 * TOKENS),
    ("aten::_scaled_dot_product_flash_attention", "bbbssss", QKV, {4: True}, 2 * CAUSAL * 32,
     2 * 4 * TOKENS),
    ("aten::_scaled_dot_product_efficient_attention", "fff-ssss", QKV, {6: True}, 2 * CAUSAL * 32,
     4 * 4 * TOKENS),
    ("aten::_scaled_dot_product_cudnn_attention", "hhh-sssss", QKV, {6: False}, 2 * PAIRS * 32,
     2 * 4 * TOKENS),
    # causal or not was not recorded
    ("aten::_scaled_dot_product_flash_attention", "bbbssss", QKV, {}, None, 2 * 4 * TOKENS),
    # B, N, H, D; two heads of keys for four of queries
    ("flash_attn::_flash_attn_forward", "bbbsss", [[2, 8, 4, 16], [2, 8, 2, 16], [2, 8, 2, 16]],
     {5: False}, 2 * PAIRS * 32, 2 * 3 * TOKENS),
    # 4 queries at the end of 8 keys: 5 + 6 + 7 + 8 pairs are left
    ("flash_attn::_flash_attn_forward", "bbbsss", [[1, 4, 1, 16], [1, 8, 1, 16], [1, 8, 1, 16]],
     {5: True}, 2 * 26 * 32, 2 * (64 + 128 + 128 + 64)),
    # values have other features than keys
    ("aiter::mha_fwd", "bbbsss", [[1, 8, 1, 16], [1, 8, 1, 16], [1, 8, 1, 4]], {5: False},
     2 * 64 * 20, 2 * (128 + 128 + 32 + 32)),
    # two sequences of 8 tokens in one dimension
    ("flash_attn::_flash_attn_varlen_forward", "bbbiissssss", [[16, 4, 16]] * 3 + [[3], [3]],
     {5: 8, 6: 8, 9: True}, 2 * CAUSAL * 32, 2 * 4 * TOKENS),
    # backward: 3·16 + 2·16 features for each pair
    ("aten::_scaled_dot_product_flash_attention_backward", "bbbbbf--ssssss",
     [[2, 4, 8, 16], *QKV, [2, 4, 8, 16], [2, 4, 8]], {11: True}, 2 * CAUSAL * 80, 2 * 8 * TOKENS),
    ("aten::_scaled_dot_product_efficient_attention_backward", "ffff-ff--sSss",
     [[2, 4, 8, 16], *QKV], {11: False}, 2 * PAIRS * 80, 4 * 8 * TOKENS),
    # and one addition for each element of the gradients of two heads of keys and values
    ("flash_attn::_flash_attn_backward", "bbbbbfbbbsss",
     [[2, 8, 4, 16], [2, 8, 4, 16], [2, 8, 2, 16], [2, 8, 2, 16], [2, 8, 4, 16]], {11: False},
     2 * PAIRS * 80 + 2 * 8 * 2 * 32, 2 * (4 * TOKENS + 4 * TOKENS // 2)),
]  # fmt: skip

N = 2 * 3 * 4
OTHERS = [
    ("aten::native_layer_norm", "bSbbs", [[2, 3, 4], [], [4], [4]], {1: [4]}, 8 * N,
     2 * (2 * N + 8)),
    ("aten::native_layer_norm", "bS--s", [[2, 3, 4]], {1: [4]}, 6 * N, 2 * 2 * N),
    ("aten::native_batch_norm", "fffffsss", [[2, 3, 4], [3], [3], [3], [3]], {5: True}, 8 * N,
     4 * (2 * N + 6)),
    ("aten::native_batch_norm", "fffffsss", [[2, 3, 4], [3], [3], [3], [3]], {5: False}, 4 * N,
     4 * (2 * N + 6)),
    ("aten::native_layer_norm_backward", "bbSffbbS", [[2, 3, 4], [2, 3, 4], [], [6], [6], [4], [4]],
     {7: [True, True, True]}, 14 * N, 2 * (3 * N + 12)),
    ("aten::cudnn_batch_norm_backward", "ffffffffs", [[2, 3, 4], [2, 3, 4], [3]], {}, 14 * N,
     4 * (3 * N + 9)),
    ("aten::_fused_rms_norm", "bSbs", [[2, 3, 4], [], [4]], {}, 4 * N, 2 * (2 * N + 4)),
    ("_C::fused_add_rms_norm", "bbbs", [[6, 4], [6, 4], [4]], {}, 5 * N, 2 * (4 * N + 4)),
    ("aten::_softmax", "fss", [[2, 3, 4]], {1: -1, 2: False}, 5 * N, 8 * N),
    ("aten::_softmax", "hss", [[2, 3, 4]], {1: -1, 2: True}, 5 * N, 6 * N),
    ("aten::_log_softmax_backward_data", "ffss", [[2, 3, 4], [2, 3, 4]], {}, 4 * N, 12 * N),
    # elementwise work has no operations. Broadcast: 2·3·4 results of 24 + 4 elements; an int8 and
    # a float make a float
    ("aten::add", "ffs", [[2, 3, 4], [4]], {2: 1}, 0, 4 * (N + 4 + N)),
    ("aten::mul", "cf", [[6], [6]], {}, 0, 6 + 24 + 24),
    # a tensor without dimensions does not widen the other
    ("aten::mul", "hf", [[6], []], {}, 0, 12 + 4 + 12),
    ("aten::add_", "hfs", [[6], [6]], {}, 0, 12 + 24 + 12),
    ("aten::lt", "fs", [[6]], {}, 0, 24 + 6),
    ("aten::where", "?ff", [[6], [6], [6]], {}, 0, 6 + 24 + 24 + 24),
    ("aten::addcmul_", "fffs", [[6], [6], [6]], {}, 0, 4 * 24),
    ("aten::silu", "b", [[6]], {}, 0, 24),
    ("aten::clamp_min", "fsf", [[6], [], [6]], {}, 0, 48),  # out=
    ("aten::native_dropout", "fss", [[6]], {}, 0, 24 + 24 + 6),
    ("aten::threshold_backward", "ffs", [[6], [6]], {}, 0, 72),
    ("aten::sum", "fSs-", [[2, 3, 4]], {1: [-1], 2: True}, N, 4 * (N + 6)),
    ("aten::sum", "f-", [[2, 3, 4]], {}, N, 4 * (N + 1)),
    ("aten::sum", "fSs-", [[2, 3, 4]], {}, N, None),  # which dimensions was not recorded
    ("aten::mean", "fSs-", [[2, 3, 4]], {1: [0, 2]}, N, 4 * (N + 3)),
    ("aten::argmax", "fss", [[2, 3, 4]], {1: 2}, N, 4 * N + 8 * 6),
    ("aten::linalg_vector_norm", "fsSs-", [[2, 3, 4]], {1: 2, 2: [1]}, 2 * N, 4 * (N + 8)),
    ("aten::max", "fss", [[2, 3, 4]], {1: 1}, N, 4 * N + 12 * 8),
    ("aten::max", "ff", [[6], [6]], {}, 0, 72),
    ("aten::cumsum", "fs-", [[2, 3, 4]], {1: 0}, N, 8 * N),
    # windows 2 x 2 of 8 x 8: 4 x 4 results, a position of 8 bytes each
    ("aten::max_pool2d_with_indices", "fSSSSs", [[1, 1, 8, 8]],
     {1: [2, 2], 2: [2, 2], 3: [0, 0], 4: [1, 1], 5: False}, 64, 4 * 64 + 12 * 16),
    ("aten::avg_pool2d", "fSSSsss", [[1, 1, 7, 7]], {1: [2, 2], 2: [], 3: [0, 0], 4: True}, 64,
     4 * 49 + 4 * 16),
    ("aten::copy_", "hfs", [[6], [6]], {}, 0, 12 + 24),
    ("aten::sort", "fss", [[2, 3, 4]], {1: -1, 2: False}, 0, 8 * N + 8 * N),
    # the 2 largest of 4: 12 values and positions
    ("aten::topk", "fssss", [[2, 3, 4]], {1: 2, 2: -1}, 0, 4 * N + 12 * 12),
    # 6 transforms of 4 numbers: 5·4·2 operations each, and half for real ones
    ("aten::_fft_c2c", "zSss", [[2, 3, 4]], {1: [2], 2: 0, 3: True}, 6 * 40, 2 * 8 * N),
    ("aten::_fft_r2c", "fSss", [[2, 3, 4]], {1: [-1], 2: 0, 3: True}, 6 * 20, 4 * N + 8 * 6 * 3),
    ("aten::_fft_c2r", "zSss", [[2, 3, 3]], {1: [2], 2: 0, 3: 4}, 6 * 20, 8 * 6 * 3 + 4 * N),
    # over two dimensions: log₂ of 12
    ("aten::_fft_c2c", "zSss", [[2, 3, 4]], {1: [1, 2], 2: 0, 3: True}, 5 * N * math.log2(12),
     2 * 8 * N),
    ("aten::fill_", "fs", [[6]], {}, 0, 24),
    ("aten::index_select", "fsl", [[10, 4], [], [3]], {1: 0}, 0, 2 * 12 * 4 + 24),
    ("aten::gather", "fsls", [[10, 4], [], [3, 4]], {}, 0, 2 * 12 * 4 + 96),
    ("aten::embedding", "fl", [[10, 4], [3]], {}, 0, 2 * 12 * 4 + 24),
    ("aten::embedding_dense_backward", "flsss", [[3, 4], [3]], {2: 10}, 12, 2 * 48 + 24 + 160),
    ("aten::_embedding_bag", "fll", [[10, 4], [6], [2]], {}, 24, 4 * (24 + 8) + 48 + 16),
    ("aten::mse_loss", "ffs", [[6], [6]], {2: 1}, 18, 48 + 4),
    ("aten::mse_loss", "ffs", [[6], [6]], {2: 0}, 12, 48 + 24),
    ("aten::mse_loss_backward", "fffs", [[], [6], [6]], {}, 18, 4 + 48 + 24),
    ("aten::nll_loss_forward", "fl-ss", [[5, 10], [5]], {}, 10, 20 + 40),
    ("aten::nll_loss_backward", "ffl-ss", [[], [5, 10], [5]], {}, 5, 4 + 200 + 40),
]  # fmt: skip


@pytest.mark.parametrize("case", [*MATRIX_PRODUCTS, *CONVOLUTIONS, *ATTENTION, *OTHERS])
def test_cases_computed_by_hand(case: Any) -> None:
    *given, flops, moved = case
    assert cost(*given) == (flops, moved)


LISTS = [[4, 2], [3]]  # 11 elements


@pytest.mark.parametrize(
    ("operator", "types", "shapes", "flops", "elements"),
    [
        ("aten::_foreach_add_", "TTs", [LISTS, LISTS], 11, 33),
        ("aten::_foreach_mul_", "Ts", [LISTS], 11, 22),
        ("aten::_foreach_addcdiv_", "TTTs", [LISTS, LISTS, LISTS], 33, 44),
        ("aten::_foreach_norm", "Ts", [LISTS], 22, 11 + 2),
        ("aten::_fused_adamw_", "TTTTTT", [LISTS] * 4 + [[], [[], []]], 165, 77),
        ("aten::_fused_sgd_", "TTT", [LISTS, LISTS, LISTS], 77, 55),
        ("aten::_fused_sgd_", "TTT", [LISTS, LISTS, []], 44, 33),
        ("aten::cat", "Ts", [LISTS], 0, 22),
    ],
)
def test_lists_have_bytes_if_a_kernel_shows_the_type(
    operator: str, types: str, shapes: list[Any], flops: int, elements: int
) -> None:
    formula = FIND(operator)
    assert formula is not None
    recorded = inputs(operator, types, shapes)
    assert formula.cost(recorded) == (flops, None)
    assert formula.cost(replace(recorded, element="Half")) == (flops, 2 * elements)


@pytest.mark.parametrize(
    ("operator", "types", "shapes", "values"),
    [
        ("aten::mm", "ff", [[4, 8], [7, 2]], {}),
        ("aten::mm", "--", [], {}),
        ("aten::convolution", "ff-SSSsSs", [X, W], {}),  # the stride was not recorded
        ("aten::add", "ff", [[3], [4]], {}),
        # the shapes of long lists are not recorded
        ("aten::_fused_adamw_", "TTTTTT", [[]] * 6, {}),
        ("aten::_foreach_mul_", "Ts", [[], []], {}),
        ("aten::cat", "Ts", [[], []], {}),
    ],
)  # fmt: skip
def test_inputs_that_do_not_say_enough(
    operator: str, types: str, shapes: list[Any], values: dict[int, Any]
) -> None:
    with pytest.raises(LookupError):
        cost(operator, types, shapes, values)


def test_a_convolution_takes_the_result_from_the_backward_pass() -> None:
    formula = FIND("aten::cudnn_convolution")
    assert formula is not None
    recorded = inputs("aten::cudnn_convolution", "ffSSSsss", [X, W])
    found = formula.cost(replace(recorded, result=(2, 4, 4, 4)))
    assert found == (2 * 128 * 27, 4 * (384 + 108 + 128))


def test_a_weight_gradient_takes_the_weight_from_its_caller() -> None:
    name = "aten::cudnn_convolution_backward_weight"
    formula = FIND(name)
    assert formula is not None
    recorded = inputs(name, "SffSSSsss", [[], [2, 4, 8, 8], X])
    caller = inputs("aten::cudnn_convolution_backward", "fff", [X, [2, 4, 8, 8], W])
    assert formula.cost(replace(recorded, around=caller)) == (2 * OUT * 27, 4 * (OUT + 384 + 108))


def test_every_operator_has_one_formula_of_our_own() -> None:
    names = [name for one in FORMULAS.specs() for name in one.operators]
    assert len(names) == len(set(names))


def test_overloads_have_the_formula_of_their_operator() -> None:
    assert FIND("aten::add_.Tensor") is FIND("aten::add_")
    assert FIND("mylib::unknown") is None
