"""Attention: PyTorch's variants, flash attention 2 and 3, AITER; forward and backward.

For each of the B·H heads of queries, scores take 2·N·M·D operations for N queries, M keys and D
features, and the weighted sum of values 2·N·M·E for E features of a value. A causal mask leaves
N·M - N·(N - 1)/2 pairs where the last query sees all keys: with N = M half of them, and half the
diagonal. The backward pass computes gradients of values, weights, queries and keys with one product
each, and the scores again: 2·N·M·(3·D + 2·E), 2.5 times the forward pass if D = E (Dao,
FlashAttention-2, 2023, section 4.1).
The sums over the heads of queries that share a head of keys take (H_q/H_kv - 1) additions for each
element of the gradients of keys and values. Softmax is not counted.

Operations of packed sequences are known only if what was recorded determines their lengths, that
is, if all have the maximum length; the lengths themselves are not recorded. Bytes are known without
them. Local windows and sinks are not considered.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Final

from nbprof.analysis.costs.cost_formula import Cost, CostFormula

if TYPE_CHECKING:
    from nbprof.analysis.costs.inputs import Inputs


@dataclass(frozen=True)
class _Layout:
    """Where an operator has its arguments.

    Attributes
    ----------
    causal : int
        Index of the flag, or of the number of a mask, which is not 0 if it is causal.
    heads_first : bool
        Whether tensors are B x H x N x D and not B x N x H x D.
    query : int
        Index of the queries; keys and values follow.
    lengths : (int, int), optional
        Indices of the offsets of sequences of queries and of keys. Where they were given, tensors
        have all tokens in one dimension: (1 x )T x H x D.
    longest : (int, int), optional
        Indices of the maximum lengths.
    backward : bool
        Whether it computes gradients.
    """

    causal: int
    heads_first: bool = False
    query: int = 0
    lengths: tuple[int, int] | None = None
    longest: tuple[int, int] = (0, 0)
    backward: bool = False


def _backward(
    causal: int,
    *,
    heads_first: bool = False,
    lengths: tuple[int, int] | None = None,
    longest: tuple[int, int] = (0, 0),
) -> _Layout:
    return _Layout(causal, heads_first, 1, lengths, longest, backward=True)


_LAYOUTS: Final = {
    "aten::scaled_dot_product_attention": _Layout(5, heads_first=True),
    "aten::_scaled_dot_product_flash_attention": _Layout(4, heads_first=True),
    "aten::_scaled_dot_product_efficient_attention": _Layout(6, heads_first=True),
    "aten::_scaled_dot_product_cudnn_attention": _Layout(6, heads_first=True),
    "aten::_scaled_dot_product_flash_attention_for_cpu": _Layout(4, heads_first=True),
    "aten::_scaled_dot_product_fused_attention_overrideable": _Layout(5, heads_first=True),
    "aten::_flash_attention_forward": _Layout(8, lengths=(3, 4), longest=(5, 6)),
    "aten::_flash_attention_forward_no_dropout_inplace": _Layout(
        9, query=1, lengths=(4, 5), longest=(6, 7)
    ),
    "torch_attn::_varlen_attn": _Layout(7, lengths=(3, 4), longest=(5, 6)),
    "aten::_efficient_attention_forward": _Layout(9, lengths=(4, 5), longest=(6, 7)),
    "aten::_cudnn_attention_forward": _Layout(10, heads_first=True, lengths=(4, 5), longest=(6, 7)),
    "aten::_scaled_dot_product_flash_attention_backward": _backward(
        11, heads_first=True, lengths=(6, 7), longest=(8, 9)
    ),
    "aten::_scaled_dot_product_efficient_attention_backward": _backward(11, heads_first=True),
    "aten::_scaled_dot_product_cudnn_attention_backward": _backward(
        14, heads_first=True, lengths=(9, 10), longest=(11, 12)
    ),
    "aten::_cudnn_attention_backward": _backward(
        14, heads_first=True, lengths=(9, 10), longest=(11, 12)
    ),
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward": _backward(7, heads_first=True),
    "aten::_scaled_dot_product_fused_attention_overrideable_backward": _backward(
        13, heads_first=True, lengths=(8, 9), longest=(10, 11)
    ),
    "aten::_flash_attention_backward": _backward(11, lengths=(6, 7), longest=(8, 9)),
    "aten::_efficient_attention_backward": _backward(14, lengths=(6, 7), longest=(8, 9)),
    "flash_attn::_flash_attn_forward": _Layout(5),
    "flash_attn::_flash_attn_backward": _backward(11),
    "flash_attn::_flash_attn_varlen_forward": _Layout(9, lengths=(3, 4), longest=(5, 6)),
    "flash_attn::_flash_attn_varlen_backward": _backward(15, lengths=(9, 10), longest=(11, 12)),
    "flash_attn_3::fwd": _Layout(24, lengths=(7, 8), longest=(12, 13)),
    "aiter::mha_fwd": _Layout(5),
    "aiter::fmha_v3_fwd": _Layout(5),
    "aiter::_flash_attn_forward": _Layout(5),
    "aiter::mha_bwd": _backward(8),
    "aiter::fmha_v3_bwd": _backward(8),
    "aiter::_flash_attn_backward": _backward(12),
    "aiter::mha_varlen_fwd": _Layout(12, lengths=(3, 4), longest=(5, 6)),
    "aiter::_flash_attn_varlen_forward": _Layout(9, lengths=(3, 4), longest=(5, 6)),
    "aiter::_flash_attn_varlen_backward": _backward(15, lengths=(9, 10), longest=(11, 12)),
}


@dataclass(frozen=True)
class _Sizes:
    """Sequences, heads, and lengths of one call."""

    sequences: int
    query_heads: int
    key_heads: int
    queries: int
    keys: int
    features: int
    value_features: int


def _cost(inputs: Inputs) -> Cost:
    layout = _LAYOUTS[inputs.operator]
    q, k, v = range(layout.query, layout.query + 3)
    features, value_features = inputs.shape(q)[-1], inputs.shape(v)[-1]
    out = inputs.count(q) // features * value_features * inputs.size(q)
    read = inputs.bytes_of(q, k, v)
    # of the backward pass: the gradient and the result are read, too; three gradients are written
    moved = 2 * read + 2 * out if layout.backward else read + out
    return Cost(_operations(inputs, layout), moved)


def _operations(inputs: Inputs, layout: _Layout) -> float | None:
    """Return the operations; None if the lengths or the kind of mask were not recorded."""
    sizes = _sizes(inputs, layout)
    causal = inputs.value(layout.causal)
    if causal is None or sizes is None:
        return None
    pairs = _pairs(sizes.queries, sizes.keys) if causal else float(sizes.queries * sizes.keys)
    pairs *= sizes.sequences * sizes.query_heads
    d, e = sizes.features, sizes.value_features
    if not layout.backward:
        return 2.0 * pairs * (d + e)
    sums = sizes.sequences * sizes.keys * sizes.key_heads * (d + e)
    shared = sums * (sizes.query_heads // sizes.key_heads - 1)
    return 2.0 * pairs * (3 * d + 2 * e) + shared


def _pairs(queries: int, keys: int) -> float:
    """Return how many pairs a causal mask leaves if the last query sees all keys."""
    if queries <= keys:
        return queries * keys - queries * (queries - 1) / 2
    return keys * (keys + 1) / 2


def _sizes(inputs: Inputs, layout: _Layout) -> _Sizes | None:
    """Return the sizes of a call; None if the lengths of its sequences were not recorded."""
    q, k, v = (inputs.shape(index) for index in range(layout.query, layout.query + 3))
    packed = layout.lengths is not None and inputs.has(layout.lengths[0])
    if not packed:
        if len(q) != 4:
            message = "queries have four dimensions"
            raise LookupError(message)
        n, h = (2, 1) if layout.heads_first else (1, 2)
        return _Sizes(q[0], q[h], k[h], q[n], k[n], q[3], v[3])
    sequences = inputs.count(layout.lengths[0]) - 1 if layout.lengths else 0
    longest = [inputs.value(index) for index in layout.longest]
    queries, keys = prod(q[:-2]), prod(k[:-2])
    equal = [sequences * most == count for most, count in zip(longest, (queries, keys), strict=True)
             if isinstance(most, int)]  # fmt: skip
    if sequences < 1 or len(equal) != 2 or not all(equal):
        return None
    return _Sizes(sequences, q[-2], k[-2], queries // sequences, keys // sequences, q[-1], v[-1])


FORMULA: Final = CostFormula("attention", tuple(_LAYOUTS), _cost, is_matrix=True)
