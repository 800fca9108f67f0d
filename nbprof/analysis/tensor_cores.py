"""Which kernels use tensor cores, and which operators could: one definition for every figure.

A kernel is known by its name alone. The lists are those of the PyTorch TensorBoard plugin, which
end with Ampere, and what newer libraries write.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.model import kinds
from nbprof.model.roles import named

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel

Mask = npt.NDArray[np.bool_]

_KERNEL_NAME = re.compile(
    # Volta, Turing and Ampere
    "h884|s884|h1688|s1688|c1688|hmma|i8816|16816"
    "|dgrad_1x1_stride_2x2|first_layer_wgrad_kernel|conv1x1|conv2d_c1_k1|direct_group"
    "|xmma_implicit_gemm|xmma_sparse_conv|xmma_warp_specialized_implicit_gemm"
    "|xmma_gemm|xmma_sparse_gemm"
    # later ones, and libraries of templates
    r"|tensorop|tensor\d+x\d+x\d+|wgmma|gmma|imma|bmma|dmma|mma_sync|nvjet|sm90_xmma|sm100"
)

#: Operators that multiply matrices: those of the plugin, newer ones, those of AMD.
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

#: Paddle's, without what its recorder puts round them: ``matmul dygraph``, ``MatmulGradNode``,
#: ``Global_Conv2dGradNodeFinal``.
_PADDLE = frozenset(
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
_PADDLE_ROUND = re.compile(r"^Global_|( dygraph| static)$|(Double)?GradNode(Final)?$|_grad$|_")


def kernel_uses_tensor_cores(name: str) -> bool:
    """Whether the full name of a kernel says that it uses tensor cores."""
    return _KERNEL_NAME.search(name) is not None


def operator_could_use_tensor_cores(name: str) -> bool:
    """Whether an operator of this name multiplies matrices in some form."""
    if name in _ELIGIBLE:
        return True
    is_paddle = name.endswith((" dygraph", " static", "GradNode", "GradNodeFinal"))
    return is_paddle and _PADDLE_ROUND.sub("", name).lower() in _PADDLE


def tensor_core_rows(model: TraceModel) -> Mask:
    """Return which device rows are kernels that use tensor cores, shape (device rows,)."""
    return model.cached("tensor core rows", lambda: _tensor_core_rows(model))


def _tensor_core_rows(model: TraceModel) -> Mask:
    is_kernel = model.column("device", "kind") == kinds.KERNEL
    rows: Mask = is_kernel & named(model, "device", kernel_uses_tensor_cores)
    return rows
