"""Which kernel an operator runs on an A100, how it is launched and how long it takes.

Names are written as the profiler shows those of PyTorch, cuDNN, cuBLAS and NCCL. A kernel takes as
long as its arithmetic or its memory traffic, whichever is longer, plus a fixed latency.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

SM_COUNT = 108
TENSOR_FLOPS_PER_US = 62e6  # what a good TF32 convolution reaches
FLOAT_FLOPS_PER_US = 13e6  # what one without tensor cores reaches
BYTES_PER_US = 1.32e6
LATENCY_US = 1.9

Shape = tuple[int, ...]
ITERATOR = "at::TensorIteratorBase&"


@dataclass(frozen=True)
class Kernel:
    """One launch.

    Parameters
    ----------
    name : str
        Demangled C++ name.
    microseconds : float
        Duration on an idle GPU of nominal speed.
    grid, block : tuple of int
        Blocks, and threads of a block.
    registers : int
        Registers a thread.
    shared_memory : int
        Bytes a block.
    """

    name: str
    microseconds: float
    grid: tuple[int, int, int]
    block: tuple[int, int, int] = (128, 1, 1)
    registers: int = 32
    shared_memory: int = 0

    @property
    def blocks_per_sm(self) -> float:
        """Blocks of the grid for each multiprocessor."""
        return prod(self.grid) / SM_COUNT

    @property
    def occupancy_pct(self) -> int:
        """Threads resident on a multiprocessor, in percent of the 2048 that it can hold."""
        threads = prod(self.block)
        resident = min(2048 // threads, 65536 // (self.registers * threads), 32)
        if self.shared_memory:
            resident = min(resident, 167936 // self.shared_memory)
        return int(0.5 + 100 * min(resident, self.blocks_per_sm) * threads / 2048)


def bytes_of(*shapes: Shape) -> int:
    """Return the bytes of float32 tensors."""
    return sum(4 * prod(shape) for shape in shapes)


def _blocks(count: int, each: int) -> tuple[int, int, int]:
    return (-(-count // each), 1, 1)


def elementwise(functor: str, count: int, operands: int, type_: str = "float") -> Kernel:
    """Return an element by element kernel that touches `operands` tensors of `count` elements."""
    array = f"std::array<char*, {operands}ul>"
    name = f"void at::native::vectorized_elementwise_kernel<4, {functor}, {array} >"
    size = 8 if type_ == "long" else 4
    duration = LATENCY_US + operands * size * count / BYTES_PER_US
    return Kernel(f"{name}(int, {functor}, {array})", duration, _blocks(count, 512), registers=26)


def relu(count: int) -> Kernel:
    """Return the clamp that `relu_` is."""
    lambdas = "::{lambda()#1}::operator()() const::{lambda()#7}::operator()() const"
    functor = (
        "at::native::(anonymous namespace)::launch_clamp_scalar("
        f"{ITERATOR}, c10::Scalar, c10::Scalar, at::native::detail::ClampLimits)"
        f"{lambdas}::{{lambda(float)#1}}"
    )
    return elementwise(functor, count, 2)


def threshold(count: int) -> Kernel:
    """Return the backward of relu."""
    functor = (
        "at::native::(anonymous namespace)::threshold_kernel_impl<float>("
        f"{ITERATOR}, float, float)::{{lambda(float, float)#1}}"
    )
    return elementwise(functor, count, 3)


def add(count: int) -> Kernel:
    """Return the sum of two tensors."""
    return elementwise("at::native::CUDAFunctor_add<float>", count, 3)


def scale(count: int, operation: str = "MulFunctor") -> Kernel:
    """Return the product of a tensor with a number."""
    functor = (
        "at::native::BUnaryFunctor<float, float, float, "
        f"at::native::binary_internal::{operation}<float> >"
    )
    return elementwise(functor, count, 2)


def fill(count: int) -> Kernel:
    """Return the kernel that sets a tensor to one number."""
    return elementwise("at::native::FillFunctor<float>", count, 1)


def increment() -> Kernel:
    """Return the kernel that counts the batches of a normalisation layer."""
    return elementwise("at::native::CUDAFunctorOnSelf_add<long>", 1, 2, "long")


def batch_norm(shape: Shape, *, backward: bool) -> Kernel:
    """Return cuDNN's batch normalisation in training, either way: one block a channel."""
    tensor = "cudnnTensorStruct, float const*"
    if backward:
        name = (
            "void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(float, float, "
            f"float, float, {tensor}, {tensor}, cudnnTensorStruct, float*, float const*, float*, "
            "float*, float const*, float const*, float)"
        )
    else:
        name = (
            "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>("
            f"{tensor}, cudnnTensorStruct, float*, float const*, float const*, float, float, "
            "float*, float*, float*, float*, float, float)"
        )
    traffic = (5 if backward else 3) * bytes_of(shape)
    duration = LATENCY_US + 1.5 + traffic / (0.86 * BYTES_PER_US)
    registers, shared = (56, 4352) if backward else (40, 2112)
    return Kernel(name, duration, (shape[1], 1, 1), (512, 1, 1), registers, shared)


def transpose(shape: Shape, *, to_channels_last: bool) -> Kernel:
    """Return cuDNN's change of layout around a tensor-core convolution."""
    source, target = ("nchw", "nhwc") if to_channels_last else ("nhwc", "nchw")
    kind = f"{source}To{target.capitalize()}"
    name = (
        f"void cudnn::ops::{kind}Kernel<float, float, float, false, true, "
        f"(cudnnKernelDataType_t)2>(cudnn::ops::{source}2{target}_params_t<float>, "
        "float const*, float*)"
    )
    pixels = shape[2] * shape[3]
    grid = (-(-pixels // 32), -(-shape[1] // 32), shape[0])
    duration = LATENCY_US + 2 * bytes_of(shape) / (0.8 * BYTES_PER_US)
    return Kernel(name, duration, grid, (256, 1, 1), 32, 4352)


def convolution(kind: str, images: Shape, weight: Shape, outputs: Shape) -> Kernel:
    """Return the kernel of a convolution: `kind` is fprop, dgrad or wgrad.

    The first layer, with three channels in, finds no tensor-core kernel; all others run on TF32.
    """
    flops = 2.0 * outputs[0] * outputs[2] * outputs[3] * prod(weight)
    traffic = bytes_of(images, weight, outputs) / BYTES_PER_US
    if weight[1] < 4:
        return _direct_convolution(kind, flops, traffic, outputs)
    wide = min(weight[:2]) >= 128
    tile = (128, 128, 16) if wide else (128, 64, 16) if kind != "wgrad" else (64, 64, 32)
    rate = TENSOR_FLOPS_PER_US * (1.0 if wide else 0.72) * (0.85 if kind == "wgrad" else 1.0)
    duration = LATENCY_US + 3 + max(flops / rate, traffic)
    pixels = outputs[0] * outputs[2] * outputs[3]
    rows, columns = {
        "fprop": (pixels, weight[0]),
        "dgrad": (prod(images) // weight[1], weight[1]),
        "wgrad": (prod(weight[1:]), weight[0]),
    }[kind]
    grid = (-(-rows // tile[0]), -(-columns // tile[1]), 8 if kind == "wgrad" else 1)
    if weight[2] == 1 or (wide and kind == "fprop"):
        size = f"{tile[0]}x{tile[1]}_{tile[2]}x{'5' if wide else '6'}_nhwc_align4"
        kernel = f"cutlass_tensorop_s1688{kind}_optimized_tf32_{size}"
        name = f"void cutlass__5x_cudnn::Kernel<{kernel}>({kernel}::Params)"
        return Kernel(name, duration, grid, (128, 1, 1), 168, 81920)
    indexed = "" if kind == "fprop" else "_indexed"
    name = (
        f"sm80_xmma_{kind}_implicit_gemm{indexed}_tf32f32_tf32f32_f32_nhwckrsc_nhwc_"
        f"tilesize{tile[0]}x{tile[1]}x{tile[2]}_stage4_warpsize2x2x1_g1_tensor16x8x8"
        "_execute_kernel__5x_cudnn"
    )
    return Kernel(name, duration, grid, (128, 1, 1), 224 if wide else 152, 65536)


def _direct_convolution(kind: str, flops: float, traffic: float, outputs: Shape) -> Kernel:
    duration = LATENCY_US + 3 + max(flops / FLOAT_FLOPS_PER_US, traffic)
    pixels = outputs[2] * outputs[3] * outputs[0]
    if kind == "fprop":
        name = (
            "void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1, false, false, true>"
            "(int, int, int, float const*, int, float*, float const*, kernel_conv_params, "
            "unsigned long long, int, float, float, int, float const*, float const*, bool, int, "
            "int)"
        )
        return Kernel(name, duration, (-(-pixels // 128), 2, 1), (8, 8, 1), 128, 7488)
    name = (
        "void wgrad_alg0_engine<float, 128, 5, 5, 3, 3, 3, false, 512>(int, int, int, "
        "float const*, int, float*, float const*, kernel_grad_params, unsigned long long, int, "
        "float, int, int, int, int)"
    )
    return Kernel(name, duration, (2, 2, 64), (16, 16, 1), 128, 19456)


def matrix_product(m: int, n: int, k: int, layout: str) -> Kernel:
    """Return cuBLAS's float32 product of m x k and k x n (TF32 is off for these by default)."""
    name = f"ampere_sgemm_32x32_sliced1x4_{layout}"
    duration = LATENCY_US + 4 + 2.0 * m * n * k / (0.25 * FLOAT_FLOPS_PER_US)
    return Kernel(name, duration, (-(-m // 32), -(-n // 32), 1), (128, 1, 1), 86, 32768)


def reduction(kind: str, shape: Shape, outputs: int) -> Kernel:
    """Return a mean ("MeanOps") or a sum ("func_wrapper_t") to `outputs` numbers."""
    inner = {
        "MeanOps": "at::native::MeanOps<float, float, float, float>",
        "func_wrapper_t": (
            "at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>::"
            f"operator()({ITERATOR})::{{lambda(float, float)#1}}>"
        ),
    }[kind]
    operation = f"at::native::ReduceOp<float, {inner}, unsigned int, float, 4, 4>"
    name = f"void at::native::reduce_kernel<512, 1, {operation} >({operation})"
    duration = LATENCY_US + 2 + bytes_of(shape) / (0.7 * BYTES_PER_US)
    return Kernel(name, duration, _blocks(outputs, 16), (32, 16, 1), 32, 16)


def max_pool(shape: Shape, outputs: Shape, *, backward: bool) -> Kernel:
    """Return the max pooling, either way."""
    if backward:
        name = (
            "void at::native::(anonymous namespace)::max_pool_backward_nchw<float, float, int>("
            "float const*, long const*, int, long, long, long, int, int, int, int, int, int, int, "
            "int, int, int, float*)"
        )
    else:
        name = (
            "void at::native::(anonymous namespace)::max_pool_forward_nchw<float, int>(int, "
            "float const*, long, long, long, int, int, int, int, int, int, int, int, int, int, "
            "float*, long*)"
        )
    traffic = bytes_of(shape) + 3 * bytes_of(outputs)
    duration = LATENCY_US + traffic / (0.55 * BYTES_PER_US)
    grid = _blocks(prod(shape if backward else outputs), 256)
    return Kernel(name, duration, grid, (256, 1, 1), 32)


def softmax(rows: int, *, backward: bool) -> Kernel:
    """Return the log-softmax of short rows."""
    way = "backward" if backward else "forward"
    types = "float, float, float, 4, true, false"
    arguments = "float*, float const*, float const*, int, int, int, bool const*"
    if not backward:
        arguments = "float*, float const*, int, int, int, bool const*, int, bool"
    name = f"void (anonymous namespace)::softmax_warp_{way}<{types}>({arguments})"
    return Kernel(name, LATENCY_US + 0.9, _blocks(rows, 8), (16, 8, 1), 30)


def negative_log_likelihood(rows: int, *, backward: bool) -> Kernel:
    """Return the loss of a batch, either way: one block for all of it."""
    way = "backward" if backward else "forward"
    name = (
        f"void at::native::(anonymous namespace)::nll_loss_{way}_reduce_cuda_kernel_2d<float, "
        f"{'' if backward else 'float, '}long>(float*, float*, float const*, long const*, "
        "float const*, bool, long, long, long, long)"
    )
    return Kernel(name, LATENCY_US + 2.1 + rows / 64, (1, 1, 1), (32, 1, 1), 34, 256)


def multi_tensor(functor: str, tensors: list[Shape], operands: int) -> Kernel:
    """Return one launch over many tensors, as the optimizers use them; `operands` each."""
    space = "at::native::(anonymous namespace)"
    lists = f"{space}::TensorListMetadata<{operands - 1}>"
    name = (
        f"void {space}::multi_tensor_apply_kernel<{lists}, {space}::{functor}, std::plus<float>, "
        f"float>({lists}, {space}::{functor}, std::plus<float>, float)"
    )
    chunks = sum(-(-prod(shape) // 65536) for shape in tensors)
    duration = LATENCY_US + 3 + operands * bytes_of(*tensors) / (0.85 * BYTES_PER_US)
    return Kernel(name, duration, (chunks, 1, 1), (512, 1, 1), 48)
