"""Formulas of compiled kernels, recurrent layers and libraries, against cases computed by hand."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from nbprof.analysis.costs.inputs import Inputs
from tests.analysis.costs.support import inputs
from tests.analysis.costs.test_formulas import CAUSAL, FIND, PAIRS, TOKENS, cost

SCALED = [
    # 16 x 32 by 32 x 8 in fp8 with scales for blocks of 32 (recipe 3), a byte each; bf16 result
    ("aten::_scaled_mm_v2", "88TSSTSS-s", [[16, 32], [32, 8], [[16, 1]], [], [], [[1, 8]]],
     {3: "[3]", 6: "[3]", 9: 15}, 2 * 16 * 8 * 32, 512 + 256 + 16 + 8 + 2 * 128),
    # one fp32 scale for each row and column (recipe 1), and a bias
    ("aten::_scaled_mm_v2", "88TSSTSSbs", [[16, 32], [32, 8], [[16, 1]], [], [], [[1, 8]], [], [],
     [8]], {3: "[1]", 6: "[1]", 9: 15}, 2 * 16 * 8 * 32, 768 + 4 * 24 + 16 + 2 * 128),
    # 10 rows in 3 groups, K 64 and N 4, two fp4 values in a byte; scales of blocks of 16
    ("aten::_scaled_grouped_mm_v2", "44TSSTSSi-s", [[10, 32], [3, 32, 4], [[10, 4]], [], [],
     [[3, 16]], [], [], [3]], {3: "[2]", 6: "[2]"}, 2 * 10 * 64 * 4, 320 + 384 + 40 + 48 + 2 * 40),
    ("aten::_scaled_grouped_mm", "88ffi-s", [[10, 8], [3, 8, 4], [10], [3, 4], [3]], {},
     2 * 10 * 8 * 4, 80 + 96 + 4 * (10 + 12) + 2 * 40),
    # int4 weight 16 x 32: scales and zeros in groups of 32 along K
    ("aten::_weight_int4pack_mm_for_cpu", "busb", [[4, 32], [16, 16], [], [1, 16, 2]], {2: 32},
     2 * 4 * 16 * 32, 256 + 256 + 64 + 128),
    ("aten::_weight_int4pack_mm_with_scales_and_zeros", "bisbc", [[4, 32], [16, 4], [], [1, 16],
     [1, 16]], {2: 32}, 2 * 4 * 16 * 32, 256 + 256 + 32 + 16 + 128),
    ("aten::_dyn_quant_matmul_4bit", "fusss", [[4, 32], [300]], {2: 32, 3: 32, 4: 16},
     2 * 4 * 16 * 32, 512 + 256 + 256),
]  # fmt: skip

VARIABLE = [
    # two sequences of 8 tokens
    ("torch_attn::_varlen_attn", "bbbiisss", [[16, 4, 16]] * 3 + [[3], [3]],
     {5: 8, 6: 8, 7: True}, 2 * CAUSAL * 32, 2 * 4 * TOKENS),
    # two sequences of 15 tokens together: the bytes are known, the operations are not
    ("torch_attn::_varlen_attn", "bbbiisss", [[15, 4, 16]] * 3 + [[3], [3]],
     {5: 8, 6: 8, 7: True}, None, 2 * 4 * 15 * 64),
    ("flash_attn::_flash_attn_varlen_backward", "bbbbbf---ii----s",
     [[15, 4, 16]] * 5 + [[4, 15], [], [], [], [3], [3]], {11: 8, 12: 8, 15: False}, None,
     2 * 8 * 15 * 64),
    # the result is the first argument
    ("aten::_flash_attention_forward_no_dropout_inplace", "bbbbiissss",
     [[16, 4, 16]] * 4 + [[3], [3]], {6: 8, 7: 8, 9: False}, 2 * PAIRS * 32, 2 * 4 * TOKENS),
    ("aten::_cudnn_attention_backward", "bbbbbf-----ssss", [[2, 4, 8, 16]] * 5 + [[2, 4, 8]],
     {14: True}, 2 * CAUSAL * 80, 2 * 8 * TOKENS),
]  # fmt: skip

COMPILED = [
    # sin, cos and add of two 10 x 10 tensors into a third
    ("triton_poi_fused_add_cos_sin_0", "fffs", [[10, 10]] * 3, {3: 100}, None, 1200),
    # rows of 8 numbers in bf16, a weight, the result
    ("triton_red_fused_mean_mul_pow_rsqrt_3", "bbbss", [[4, 8], [8], [4, 8]], {3: 4, 4: 8}, None,
     2 * 72),
    # 6 rows of a table of 1000 x 8: no more than 48 of its elements are read
    ("triton_poi_fused_embedding_0", "lbbs", [[6], [1000, 8], [6, 8]], {3: 48}, None,
     8 * 6 + 2 * (48 + 48)),
    ("triton_per_fused_embedding_native_layer_norm_1", "lbbss", [[6], [1000, 8], [6, 8]],
     {3: 6, 4: 8}, None, 8 * 6 + 2 * (48 + 48)),
]  # fmt: skip

# 5 steps of 3 sequences, 4 features, 2 layers of 6 hidden numbers with 4 gates
LSTM = [[24, 4], [24, 6], [24], [24], [24, 6], [24, 6], [24], [24]]
ELEMENTS = 24 * (4 + 6 + 6 + 6)
RECURRENT = [
    ("aten::_cudnn_rnn", "fTs-ffssssssss", [[5, 3, 4], LSTM], {7: 6, 13: False},
     2 * 15 * ELEMENTS, 4 * (60 + ELEMENTS + 90)),
    ("aten::_cudnn_rnn_backward", "fTsfffffffssssssss", [[5, 3, 4], LSTM], {11: 6, 17: False},
     4 * 15 * ELEMENTS, 8 * (60 + ELEMENTS + 90)),
    # both directions: twice the result
    ("aten::miopen_rnn", "fTsffsssssss", [[5, 3, 4], LSTM], {6: 6, 11: True},
     2 * 15 * ELEMENTS, 4 * (60 + ELEMENTS + 180)),
]  # fmt: skip

PERMUTED = "fbgemm::permute_2D_sparse_data"
POOLED = "torch::autograd::CppNode<fbgemm_gpu::PermutePooledEmbsFunction<&permute> >"
FEATURES = [
    # 2 of 3 features of 4 examples each; 9 numbers are written
    (PERMUTED, "iii-s", [[2], [3, 4], [20]], {4: 9}, 0, 4 * (2 + 2 * 8 + 2 * 9)),
    # all features, with weights
    (PERMUTED, "iilfs", [[3], [3, 4], [20], [20]], {}, 0, 4 * (3 + 24) + 2 * 20 * 12),
    ("fbgemm::permute_pooled_embs_auto_grad", "fllll", [[8, 10]], {}, 0, 640),
    (POOLED, "f", [[8, 10]], {}, 0, 640),
    ("fbgemm::asynchronous_complete_cumsum", "i", [[7]], {}, 7, 4 * (7 + 8)),
    ("fbgemm::bounds_check_indices", "lll", [[2], [30], [9]], {}, 0, 8 * 41),
    # rows of 6 numbers become 8 bytes and two fp32 parameters
    ("fbgemm::FloatToFP8RowwiseQuantized", "fs", [[4, 6]], {}, 24, 4 * 24 + 4 * 16),
    ("fbgemm::FP8RowwiseQuantizedToFloat", "us", [[4, 16]], {}, 32, 64 + 4 * 32),
    ("fbgemm::FloatToHFP8Quantized", "fsss", [[10]], {}, 10, 50),
    ("fbgemm::HFP8QuantizedToFloat", "uss", [[10]], {}, 10, 50),
    # 30 numbers in 2 tables of width 8 (sum 16), 4 bags each: rows in fp16, results in fp32
    ("fbgemm::split_embedding_codegen_lookup_adagrad_function", "fhhhiiisslsll",
     [[0], [800], [0], [0, 0], [2], [2], [3], [], [], [3], [], [30], [9]],
     {7: 16, 8: 8}, 240, 2 * 240 + 4 * 64 + 8 * 39),
    ("aten::_index_put_impl_", "f-fss", [[16, 27], [], [16, 5]], {3: True}, 80, 3 * 320),
    ("aten::_index_put_impl_", "f-fss", [[16, 27], [], [16, 5]], {3: False}, 0, 2 * 320),
    ("aten::_index_put_impl_", "f-fss", [[16, 27], [], [16, 5]], {}, None, 2 * 320),
    ("aten::_local_scalar_dense", "?", [[]], {}, 0, 2),
]  # fmt: skip


@pytest.mark.parametrize(
    "case", [*SCALED, *VARIABLE, *COMPILED, *RECURRENT, *FEATURES], ids=lambda case: case[0]
)
def test_cases_computed_by_hand(case: Any) -> None:
    *given, flops, moved = case
    assert cost(*given) == (flops, moved)


LOOKUP = "fbgemm::split_embedding_codegen_lookup_rowwise_adagrad_function"
ROWWISE = [[0], [800], [0], [0, 0], [2], [2], [3], [], [], [3], [], [30], [9], [], [30], [],
           [0], [], [], [], [100]]  # fmt: skip


def test_the_width_of_tables_is_that_of_rows_and_results() -> None:
    """800 numbers in 100 rows are 8 each; the results of 2 tables have 16."""
    recorded = inputs(LOOKUP, "fhhhiiisslslls" + "fsissff", ROWWISE)
    formula = FIND(LOOKUP)
    assert formula is not None
    found = formula.cost(replace(recorded, result=(4, 16)))
    # weighted: a multiplication and an addition for each of 30 · 8 numbers; weights are fp32
    assert found == (2 * 240, 2 * 240 + 4 * 64 + 8 * 39 + 4 * 30)
    for unlike in ((4, 20), (4, 15), None):
        with pytest.raises(LookupError, match="widths"):
            formula.cost(replace(recorded, result=unlike))


@pytest.mark.parametrize(
    ("operator", "types", "shapes", "values"),
    [
        ("triton_poi_fused_embedding_0", "lbbs", [[6], [1000, 8], [6, 8]], {}),  # how many?
        ("triton_poi_fused_add_0", "s", [], {0: 5}),
        (PERMUTED, "iii-s", [[2], [3, 4], [20]], {}),  # how many numbers are chosen?
        ("aten::_cudnn_rnn", "f-s-ffssssssss", [[5, 3, 4]], {7: 6}),
        ("aten::_cudnn_rnn", "fTs-ffssssssss", [[5, 3, 4], LSTM], {}),
    ],
)
def test_inputs_that_do_not_say_enough(
    operator: str, types: str, shapes: list[Any], values: dict[int, Any]
) -> None:
    with pytest.raises(LookupError):
        cost(operator, types, shapes, values)


@pytest.mark.parametrize(
    ("operator", "shapes", "flops"),
    [
        ("aten::mm", [[4, 8], [8, 2]], 128),
        ("aten::addmm", [[2], [4, 8], [8, 2], [], []], 128),
        ("aten::linear", [[5, 4, 8], [2, 8], []], 5 * 128),  # without a bias
        ("aten::bmm", [[3, 4, 8], [3, 8, 2]], 3 * 128),
        ("aten::_softmax", [[4, 8], [], []], 5 * 32),
        ("aten::_foreach_add_", [[[4, 2], [3]], [[4, 2], [3]], []], 11),
    ],
)
def test_shapes_without_types_give_operations_and_no_bytes(
    operator: str, shapes: list[Any], flops: int
) -> None:
    """`emit_nvtx` records shapes only."""
    formula = FIND(operator)
    assert formula is not None
    found = formula.cost(Inputs.of_texts(operator, json.dumps(shapes), "", ""))
    assert found is not None
    assert found.flops == flops
    assert found.bytes is None or math.isnan(found.bytes)
