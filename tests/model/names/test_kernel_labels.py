"""Kernels are named by what they do, and no two alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbprof
from nbprof.analysis.kernels.kernels import kernels
from nbprof.charts.donut.kernels import kernel_donuts
from nbprof.model.names.kernel_labels import kernel_labels, label_by, labels_of
from nbprof.model.names.short_names import display_name, short_name
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

_ARRAY = "std::array<char*, 2ul>"
_ANY = "at::native::(anonymous namespace)::"
_LAMBDA = "(at::TensorIteratorBase&)::{lambda()#1}::operator()() const::{lambda()#6}::operator()()"

#: Names as recorded, argument lists shortened, and what they are.
NAMES = {
    "nvjet_sm90_tst_192x128_64x5_TNN": "nvjet_sm90_tst_192x128_64x5_TNN",
    "Memcpy HtoD (Pageable -> Device)": "Memcpy HtoD (Pageable -> Device)",
    f"void at::native::vectorized_elementwise_kernel<4, at::native::AbsFunctor<long>, {_ARRAY} >"
    "(int)": "elementwise · abs (long)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::Half>, "
    f"{_ARRAY} >(int)": "elementwise · add (half)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, float, "
    f"float, at::native::binary_internal::MulFunctor<float> >, {_ARRAY} >(int)":
        "elementwise · mul (float)",
    f"void at::native::vectorized_elementwise_kernel<4, {_ANY}silu_kernel{_LAMBDA} const::"
    f"{{lambda(c10::BFloat16)#1}}, {_ARRAY} >(int)": "elementwise · silu (bfloat16)",
    "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
    "at::native::BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "
    "at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&, int const&)::"
    "{lambda(int)#1}>(int)": "elementwise · mul (float)",
    f"void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<{_ANY}"
    f"direct_copy_kernel_cuda{_LAMBDA} const::{{lambda(float)#1}}>(at::TensorIteratorBase&)::"
    "{lambda(int)#2}>(int)": "elementwise · direct_copy (float)",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::func_wrapper_t<"
    "float, at::native::sum_functor<float, float, float>::operator()(at::TensorIterator&)::"
    "{lambda(float, float)#1}>, unsigned int, float, 4> >(int)": "reduce · sum (float)",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, "
    "float, float, float>, unsigned int, float, 4> >(int)": "reduce · mean (float)",
    f"void {_ANY}multi_tensor_apply_kernel<{_ANY}FusedOptimizerTensorListMetadata<4>, "
    f"{_ANY}FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*>(int)":
        "multi_tensor_apply · FusedAdam (float)",
    f"void {_ANY}multi_tensor_apply_kernel<{_ANY}TensorListMetadata<2>, {_ANY}UnaryOpFunctor<long, "
    "2, 1, 1>, at::native::Copy<long, long> >(int)": "multi_tensor_apply · copy (long)",
    "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x64_16x6_nn_align1>(int)":
        "cutlass_80_tensorop_s1688gemm_128x64_16x6_nn_align1",
    f"void {_ANY}CatArrayBatchedCopy<float, unsigned int, 4, 64, 64>(float*)":
        "CatArrayBatchedCopy (float)",
    "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, false>(int)":
        "softmax_warp_forward (float)",
    "void cudnn::batchnorm_fwtr_nhwc_semiPersist<__half, float, __half, 512, 16, 5, true>(int)":
        "batchnorm_fwtr_nhwc_semiPersist (half, float)",
    "void clover::par_ranged2d_kernel<initialise_chunk(int, global_variables &)::[lambda(int, int) "
    "(instance 1)]>(clover::Range2d, T1)": "par_ranged2d · initialise_chunk (int)",
}  # fmt: skip


@pytest.mark.parametrize(("full", "short"), NAMES.items(), ids=NAMES.values())
def test_what_a_kernel_is(full: str, short: str) -> None:
    assert kernel_labels([full]) == {full: short}


def test_what_tells_two_kernels_apart_is_shown() -> None:
    name = "void at::native::vectorized_elementwise_kernel<{}, at::native::AbsFunctor<int>{} >(int)"
    names = [name.format(*one) for one in ((4, ""), (2, ", a"), (2, ", b"))]
    assert list(kernel_labels(names[:1]).values()) == ["elementwise · abs (int)"]
    found = kernel_labels(names)
    assert [found[one] for one in names] == [
        "vectorized_elementwise_kernel<4> · abs (int)",
        "vectorized_elementwise_kernel<2> · abs (int) #1",
        "vectorized_elementwise_kernel<2> · abs (int) #2",
    ]


def test_overloads_show_their_arguments() -> None:
    assert kernel_labels(["void a::scale(int)", "void a::scale(float*)", "a::fill(int)"]) == {
        "a::fill(int)": "fill",
        "void a::scale(float*)": "scale (float*)",
        "void a::scale(int)": "scale (int)",
    }


def test_a_label_is_not_the_name_of_another_kernel() -> None:
    names = ["a::scale(int)", "a::scale(float)", "scale (int)"]
    assert len(set(kernel_labels(names).values())) == 3


def test_everything_that_shows_kernels_shows_labels() -> None:
    name = next(full for full, label in NAMES.items() if label == "elementwise · add (half)")
    model = make_model(
        [{"name": "cudaLaunchKernel", "kind": "runtime", "start": 0, "end": 9, "correlation": 1}],
        [{"name": name, "start": 10, "end": 90, "correlation": 1}],
    )
    assert labels_of(model) == {name: "elementwise · add (half)"}
    label = label_by(model, short_name)
    [slices] = [
        mark.source.columns["label"]
        for mark in kernel_donuts(kernels(model), label=label)["total_time"].marks
        if mark.source.name == "slices"
    ]
    assert list(slices) == ["elementwise · add (half)"]
    assert label("aten::add") == "add"


@pytest.mark.parametrize("folder", ["h200/gpt_train", "kineto/mi300_qwen", "kineto/diff_control"])
def test_recordings_have_no_label_twice(shared_data: Path, folder: str) -> None:
    trace = nbprof.load(shared_data / folder, progress=False).trace()
    names = trace.kernels()["name"].to_pylist()
    labels = labels_of(trace.model)
    shown = [labels.get(name, display_name(name)) for name in names]
    assert len(set(shown)) == len(names)
    assert len(labels) > 20
    assert max(map(len, labels.values())) < 100


_pieces = st.sampled_from(
    [*"<>(){}[],:*& ", "::", "a", "Kernel", "float", "lambda", "{lambda(", "Op"]
)


@given(st.lists(st.lists(_pieces, max_size=40).map("".join)))
def test_no_two_names_are_the_same(names: list[str]) -> None:
    found = kernel_labels(names)
    assert set(found) == set(names)
    assert len(set(found.values())) == len(found)
