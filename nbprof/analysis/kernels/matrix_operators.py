"""Operators that may multiply matrices, and operators that never do.

The first list contains those of the PyTorch TensorBoard plugin, newer operators and those of AMD
and Paddle. The second contains the aten operators that only copy, fill, index, reduce, sort or
compute elementwise. Operators on neither list are unknown.
"""

from __future__ import annotations

import re
from typing import Final

from nbprof.model.names.name_tests import name_test

#: Operators that multiply matrices: those of the plugin, newer ones, and AMD's.
_ATEN = [
    "_convolution",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
    "cudnn_convolution",
    "cudnn_convolution_transpose",
    "prelu",
    "addmm",
    "addmv",
    "addr",
    "matmul",
    "mm",
    "mv",
    "linear",
    "addbmm",
    "baddbmm",
    "bmm",
    "chain_matmul",
    "linalg_multi_dot",
    "_thnn_fused_lstm_cell",
    "_thnn_fused_gru_cell",
    "lstm_cell",
    "gru_cell",
    "rnn_tanh_cell",
    "rnn_relu_cell",
    "cudnn_convolution_backward",
    "cudnn_convolution_backward_weight",
    "cudnn_convolution_backward_input",
    "cudnn_convolution_transpose_backward",
    "cudnn_convolution_transpose_backward_weight",
    "cudnn_convolution_transpose_backward_input",
    "addmm_",
    "convolution_backward",
    "miopen_convolution",
    "miopen_convolution_transpose",
    "scaled_dot_product_attention",
    "_scaled_dot_product_attention_math",
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_flash_attention_backward",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_efficient_attention_backward",
    "_scaled_dot_product_cudnn_attention",
    "_scaled_dot_product_cudnn_attention_backward",
    "_flash_attention_forward",
    "_flash_attention_backward",
    "_efficient_attention_forward",
    "_efficient_attention_backward",
    "_scaled_mm",
    "_scaled_grouped_mm",
    "_grouped_mm",
    "_int_mm",
    "_addmm_activation",
]
_AUTOGRAD = [
    "CudnnConvolutionBackward",
    "CudnnConvolutionTransposeBackward",
    "BmmBackward0",
    "MmBackward",
    "AddmvBackward",
    "MvBackward",
    "AddmmBackward",
    "AddbmmBackward",
    "ConvolutionBackward0",
    "CudnnConvolutionBackward0",
    "MmBackward0",
    "AddmvBackward0",
    "MvBackward0",
    "AddmmBackward0",
    "AddbmmBackward0",
    "BaddbmmBackward0",
]
_ELIGIBLE = frozenset([f"aten::{name}" for name in _ATEN] + _AUTOGRAD)

#: Paddle's, without the affixes that its recorder adds: ``matmul dygraph``, ``MatmulGradNode``,
#: ``Global_Conv2dGradNodeFinal``.
_BARE = frozenset(
    {
        "matmul",
        "matmulv2",
        "bmm",
        "mv",
        "addmm",
        "linear",
        "fusedgemmepilogue",
        "conv2d",
        "conv2dtranspose",
        "conv3d",
        "conv3dtranspose",
        "flashattn",
        "flashattnunpadded",
        "memoryefficientattention",
        "fusedattention",
        "fusedfeedforward",
        "fusedmultitransformer",
    }
)
_AFFIXES = re.compile(r"^Global_|( dygraph| static)$|(Double)?GradNode(Final)?$|_grad$|_")


#: Base names of aten operators that multiply no matrices, without ``_`` at either end and without
#: ``_backward``. In-place, foreach and fused forms have the same base name.
_CANNOT_ATEN: Final = """
abs absolute acos acosh adadelta adagrad adam adamax adamw adaptive_avg_pool1d
adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
adaptive_max_pool3d add addcdiv addcmul alias all allclose alpha_dropout amax amin aminmax
amp_foreach_non_finite_check_and_unscale amp_update_scale and any arange argmax argmin argsort
argwhere as_strided as_strided_scatter asgd asin asinh assert_async atan atan2 atanh avg_pool1d
avg_pool2d avg_pool3d batch_norm batch_norm_elemt batch_norm_gather_stats
batch_norm_gather_stats_with_counts batch_norm_impl_index batch_norm_no_update batch_norm_reduce
batch_norm_stats batch_norm_update_stats batch_norm_with_update bernoulli binary_cross_entropy
binary_cross_entropy_with_logits bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or
bitwise_right_shift bitwise_xor broadcast_tensors broadcast_to bucketize cat cauchy ceil celu
channel_shuffle chunk clamp clamp_max clamp_min clip clone coalesce coalesced col2im complex
concat concatenate conj conj_physical constant_pad_nd contiguous convert_indices_from_coo_to_csr
convert_indices_from_csr_to_coo copy copysign cos cosh cosine_embedding_loss cosine_similarity
count_nonzero cross cross_entropy_loss ctc_loss cudnn_batch_norm cudnn_ctc_loss cummax cummin
cumprod cumsum data deg2rad dense_to_jagged_forward detach diag diag_embed diagonal
diagonal_copy diagonal_scatter diff digamma dist div divide dropout dstack efficientzerotensor
elu embedding embedding_bag embedding_bag_dense embedding_bag_forward_only
embedding_bag_per_sample_weights embedding_bag_sparse embedding_dense embedding_renorm
embedding_sparse empty empty_affine_quantized empty_like empty_strided eq equal erf erfc erfinv
exp exp2 expand expand_as expm1 exponential eye fake_quantize_learnable_per_channel_affine
fake_quantize_learnable_per_tensor_affine fake_quantize_per_channel_affine
fake_quantize_per_channel_affine_cachemask fake_quantize_per_tensor_affine
fake_quantize_per_tensor_affine_cachemask
fake_quantize_per_tensor_affine_cachemask_tensor_qparams feature_dropout fft_c2c fft_c2r fft_fft
fft_fft2 fft_fftn fft_fftshift fft_hfft fft_ifft fft_ifft2 fft_ifftn fft_ifftshift fft_irfft
fft_irfft2 fft_irfftn fft_r2c fft_rfft fft_rfft2 fft_rfftfreq fft_rfftn fill fill_diagonal
flatten flip fliplr flipud float_power floor floor_divide fmax fmin fmod frac
fractional_max_pool2d fractional_max_pool3d frexp frobenius_norm full full_like fused_dropout
fused_moving_avg_obs_fake_quant fused_moving_avg_obs_fq_helper fused_rms_norm gather gcd ge gelu
geometric glu greater greater_equal grid_sampler grid_sampler_2d grid_sampler_3d group_norm gt
hardshrink hardsigmoid hardswish hardtanh heaviside hinge_embedding_loss histc histogram hstack
huber_loss hypot i0 igamma igammac im2col index index_add index_copy index_fill index_put
index_put_impl index_reduce index_select infinitely_differentiable_gelu instance_norm int_repr
is_all_true is_any_true is_nonzero isclose isfinite isin isinf isnan isneginf isposinf isreal
item jagged_to_padded_dense_forward kl_div kthvalue l1_loss lamb layer_norm lcm ldexp le
leaky_relu lerp less less_equal lgamma lift lift_fresh linalg_cross linalg_diagonal linalg_norm
linalg_vector_norm linspace lion local_scalar_dense log log10 log1p log2 log_normal log_sigmoid
log_sigmoid_forward log_softmax logaddexp logaddexp2 logcumsumexp logical_and logical_not
logical_or logical_xor logit logspace logsumexp lt margin_ranking_loss masked_fill masked_scale
masked_scatter masked_select masked_softmax max max_pool1d max_pool1d_with_indices max_pool2d
max_pool2d_with_indices max_pool3d max_pool3d_with_indices max_unpool2d max_unpool3d maximum
mean median meshgrid min minimum miopen_batch_norm mish mode moveaxis movedim mse_loss msort mul
multi_margin_loss multilabel_margin_loss multilabel_margin_loss_forward multinomial multiply
mvlgamma nadam nan_to_num nanmean nanmedian nanquantile nansum narrow narrow_copy
native_batch_norm native_batch_norm_legit native_batch_norm_legit_functional
native_batch_norm_legit_no_training native_dropout native_group_norm native_layer_norm
native_norm ne neg neg_view negative nested_from_padded nested_tensor_from_mask
nested_tensor_size nested_to_padded_tensor nested_view_from_buffer nested_view_from_jagged
new_empty new_empty_strided new_full new_ones new_zeros nextafter nll_loss nll_loss2d
nll_loss2d_forward nll_loss_forward nll_loss_nd nonzero nonzero_numpy nonzero_static norm
norm_except_dim normal not_equal numpy_t one_hot ones ones_like or pack_padded_sequence pad
pad_circular pad_enum pad_packed_sequence pairwise_distance permute pin_memory pixel_shuffle
pixel_unshuffle poisson poisson_nll_loss polar polygamma positive pow prod put quantile
quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic rad2deg radam rand
rand_like randint randint_like randn randn_like random randperm range ravel real reciprocal
record_stream reflection_pad1d reflection_pad2d reflection_pad3d relu relu6 remainder renorm
repeat repeat_interleave replication_pad1d replication_pad2d replication_pad3d reshape
reshape_alias reshape_copy resize resize_as resolve_conj resolve_neg rms_norm rmsprop roll rot90
round rprop rrelu rrelu_with_noise rsqrt rsub safe_softmax sample_dirichlet scalar_tensor
scatter scatter_add scatter_reduce searchsorted segment_reduce select select_copy select_scatter
selu set_data sgd sgn sigmoid sign signbit silu sin sinc sinh size slice slice_copy
slice_scatter smooth_l1_loss soft_margin_loss softmax softplus softshrink sort
sparse_coo_tensor_unsafe sparse_log_softmax sparse_softmax sparse_sum special_entr special_erf
special_exp2 special_expit special_expm1 special_gammaln special_log1p special_log_softmax
special_logit special_softmax special_xlogy special_zeta split split_with_sizes
split_with_sizes_copy sqrt square squeeze squeeze_copy stack standard_gamma std std_mean sub
subtract sum sum_to_size swapaxes swapdims t take take_along_dim tan tanh tensor_split
tensor_to_list threshold tile to to_copy to_dense topk trace transform_bias_rescale_qkv
transpose transpose_copy tril tril_indices triplet_margin_loss triu triu_indices true_divide
trunc unbind unflatten unfold unfold_copy uniform unique unique2 unique_consecutive unique_dim
unpack_dual unsafe_chunk unsafe_index unsafe_index_put unsafe_masked_index
unsafe_masked_index_put_accumulate unsafe_split unsafe_split_with_sizes unsafe_view unsqueeze
unsqueeze_copy upsample_bicubic2d upsample_bicubic2d_aa upsample_bilinear2d
upsample_bilinear2d_aa upsample_linear1d upsample_nearest1d upsample_nearest2d
upsample_nearest3d upsample_nearest_exact1d upsample_nearest_exact2d upsample_nearest_exact3d
upsample_trilinear3d values var var_mean vector_norm view view_as view_as_complex view_as_real
vstack weight_norm weight_norm_interface where xlogy xor zero zeros zeros_like
"""
#: Nodes of PyTorch's backward pass without an operator of their own.
_CANNOT_NODES: Final = ("torch::autograd::AccumulateGrad", "torch::autograd::CopyBackwards")
#: Paddle's operators that multiply no matrices, by Paddle's names.
_CANNOT_BASE: Final = """
accuracy adam adamw add argmax argsort assign batchnorm bilinearinterp bitwiseand cast clip
coalescetensor concat crossentropy crossentropywithsoftmax divide dropout elementwiseadd
elementwisediv elementwisemax elementwisemin elementwisemul elementwisepow elementwisesub
embedding equal exp expand fill fillanylike fillconstant flatten full fulllike gather gaussian
gelu greaterthan increment lamb layernorm leakyrelu lessthan log logsoftmax lookuptable max mean
mergedadam mergedmomentum min momentum multiply nearestinterp nllloss onehot onehotv2 pad pool2d
pow randint reducemax reducemean reducemin reducesum relu reshape reshape2 rsqrt scale scatter
sgd share sharedata sigmoid silu sin slice softmax softmaxwithcrossentropy split sqrt square
squaredl2norm squeeze squeeze2 stack strided_slice subtract sum syncbatchnorm tanh tile topk
topkv2 transpose transpose2 uniform uniformrandom unsqueeze unsqueeze2 where
"""

_BACKWARD: Final = re.compile(r"(_backward(_data)?|_jvp)$")
_NODE: Final = re.compile(r"^(?:autograd::engine::evaluate_function: )?(\w+?)Backward\d*$")
_ATEN_NAME: Final = re.compile(
    r"^aten::_*(?:foreach_|fused_(?=ada|sgd|rmsprop))?(\w+?)_*(?:\.\w+)?$"
)


def _normalized(name: str) -> str:
    """Return a name in lower case without ``_``, which makes its spellings equal."""
    return name.replace("_", "").lower()


_CANNOT: Final = frozenset(_normalized(name) for name in _CANNOT_ATEN.split())
_BASE_THAT_CANNOT: Final = frozenset(_normalized(name) for name in _CANNOT_BASE.split())


#: How Paddle's operators end.
_AFFIXED_ENDS: Final = (" dygraph", " static", "GradNode", "GradNodeFinal")
#: What operators that cannot multiply are called, without ``_``; Paddle's have their ends.
_MAYBE_CANNOT: Final = (
    r"^aten::(?:foreach|fused)?(?:{words})(?:backward(?:data)?|jvp)?(?:\.\w*)?$"
    r"|^(?:autograd::engine::evaluatefunction: )?(?:{words})Backward\d*$"
    r"|AccumulateGrad$|CopyBackwards$|(?:{ends})$"
).format(words="|".join(sorted(_CANNOT)), ends="|".join(_AFFIXED_ENDS))


@name_test(f"^(?:{'|'.join(map(re.escape, sorted(_ELIGIBLE)))})$|(?:{'|'.join(_AFFIXED_ENDS)})$")
def could_multiply(name: str) -> bool:
    """Return whether an operator of this name multiplies matrices in some form."""
    if name in _ELIGIBLE:
        return True
    return _base_name(name) in _BARE


@name_test(_MAYBE_CANNOT, without=("_",))
def cannot_multiply(name: str) -> bool:
    """Return whether an operator of this name is known to multiply no matrices.

    All forms of an operator give the same answer: ``aten::add``, ``aten::add_``,
    ``aten::_foreach_add_``, ``aten::threshold_backward``, ``ThresholdBackward0``,
    ``aten::_fused_adamw_``.
    """
    if name in _ELIGIBLE:
        return False
    if (
        name in _CANNOT_NODES
        or name.removeprefix("autograd::engine::evaluate_function: ") in _CANNOT_NODES
    ):
        return True
    node = _NODE.match(name)
    if node:
        return _normalized(node[1]) in _CANNOT
    aten = _ATEN_NAME.match(name)
    if aten:
        return _normalized(_BACKWARD.sub("", aten[1])) in _CANNOT
    return _base_name(name) in _BASE_THAT_CANNOT


def _base_name(name: str) -> str:
    """Return the name of a Paddle operator without its affixes; "" for other operators."""
    if not name.endswith(_AFFIXED_ENDS):
        return ""
    return _AFFIXES.sub("", name).lower()
