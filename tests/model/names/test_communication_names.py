"""Which names communicate: examples of every entry of the list, and names that only look like it.

Names of kernels are as traces show them, as far as such traces are public.
"""

from __future__ import annotations

import pytest

from nbprof.model.errors import FilterError
from nbprof.model.names.communication_names import (
    ENTRIES,
    checked,
    is_communication_kernel,
    is_communication_operator,
    qualified_name,
    rules_text,
)

#: By what an entry is about; "" for the names of libraries and engines.
COMMUNICATES = {
    "": [
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
        "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)",
        "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>) [clone .kd]",
        "ncclSymkDevKernel_AllGather_LL(ncclSymkDevWorkArgs)",
        "rcclGenericKernel<1, false>",
        "hcclAllReduce_kernel",
        "oneccl_allreduce_pcie",
        "mscclKernel_Sum_hip_bfloat16_Simple_false(ncclDevComm*, mscclAlgo*, mscclWork*)",
        "void mscclpp::executionKernel<__half, mscclpp::LL16Packet, false>(int)",
        "mscclpp::collective::allgatherFullmesh2",
        "nvshmemi_proxy_kernel",
        "mcclDevKernel_AllReduce_Sum_f32_RING_LL(mcclDevComm*)",
        "cnclKernelAllReduce_ring",
        "bkcl_all_reduce_kernel",
        "spyreccl_allreduce",
        "eccl_allreduce_ring",
        "ixcclDevKernel_AllReduce",
        "xcclKernel_AllReduce",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, vllm::Signal*)",
        "void sglang::cross_device_reduce_2stage<__half, 8>(sglang::RankData*, sglang::Signal*)",
        "aiter::cross_device_reduce_2stage",
        # DeepEP, and forks of it under other namespaces
        "void deep_ep::intranode::notify_dispatch<8>(int const*, int*, int const*, int*, int)",
        "void deep_ep::intranode::cached_notify_combine<8>(void**, int*, int, int, int, int**)",
        "void deep_ep::intranode::combine<__nv_bfloat16, 8, 768, 4096>(int4*, float*)",
        "void deep_ep::internode_ll::dispatch<true, 3, 10, 7168>(void*, float*, int*, long*)",
        "void deep_ep::legacy::internode_ll::combine<(bool)0, (int)6144>(void *, void *)",
        "void deep_ep::internode_ll::clean_low_latency_buffer<256>(int*, int, int*, int)",
        "void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*, int*)",
        "_ZN7deep_ep9internode8dispatchILb0ELi8ELb0EEEvP4int4Pf",
        "void dpsk::ep::internode::combine<false, 8, __nv_bfloat16, 8, 2, 16, 24>(int4*, float*)",
        "void dpsk::ep::internode::cached_notify<false>(int, int, int, int, int*, int, int)",
        "void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*, int*, int*)",
        "void uccl::internode_ll::dispatch<true, 3, 10, 7168>(void*)",
        "void hybrid_ep::dispatch_kernel<__nv_bfloat16>(hybrid_ep::dispatch_kernel_param_t)",
        "hybrid_ep::device_sync_kernel",
        "dlslime::intranode_alltoall_kernel",
        # symmetric memory
        "c10d::symmetric_memory::barrier_kernel(unsigned int**, int, int, int, unsigned long)",
        "c10d::symmetric_memory::put_signal_kernel(unsigned int**, int, int, int)",
        # multi-node NVLink
        "void tensorrt_llm::kernels::mnnvl::allToAllKernel<8>(int)",
    ],
    "one-shot and two-shot all-reduces of vLLM, SGLang, TensorRT-LLM, FlashInfer and PyTorch": [
        "void (anonymous namespace)::one_shot_all_reduce_kernel<c10::BFloat16, 16, 8>(float**)",
        "void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<c10::BFloat16, 16, 2>(int)",
        "oneShotAllReduceKernel<__half, 8, true, false>(AllReduceParams)",
        "lowPrecisionTwoShotAllReduceKernel",
        "void flashinfer::trtllm_mnnvl_allreduce::twoshotAllreduceKernel<(unsigned char)2>(int)",
        "inkling_two_shot_all_reduce_kernel",
        "void tensorrt_llm::kernels::reduce_fusion::one_shot_all_reduce_norm_kernel<__half>(int)",
    ],
    "collectives over multicast memory": [
        "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)",
        "void <unnamed>::multimem_all_reduce_kernel<c10::BFloat16, (int)16>(c10::BFloat16*)",
        "multimem_all_gather_kernel",
    ],
    "all-reduces that signal by Lamport buffers": [
        "lamport_style_one_shot_all_reduce_norm_kernel",
        "void flashinfer::trtllm_mnnvl_allreduce::rmsNormLamport<__nv_bfloat16>(int)",
    ],
    "all-reduces fused with what follows them": [
        "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<(int)1>",
        "void aiter::allreduce_fusion_kernel_1stage<std::bfloat16_t, std::bfloat16_t, 4>(int)",
        "ar_fusion::moe::moefinalize_allreduce_fusion_kernel_oneshot_lamport<bf16,8,false>",
    ],
    "AITER's custom collectives": [
        "aiter::reduce_scatter_cross_device_store<bf16,8>",
        "_ZN5aiter33reduce_scatter_cross_device_storeIDF16bLi8EEEvPNS_8RankDataE",
    ],
    "quick-reduce": [
        "quickreduce::allreduce_prototype_twoshot<AllReduceTwoshot<__half, CodecQ4<__half,4>>>",
    ],
    "all-reduces over MSCCL++ channels": ["void allreduce_LL_1node<__nv_bfloat16>(int, int)"],
    "user buffers of Transformer Engine": [
        "void userbuffers_fp16_sum_inplace_gpu_rr_rs_oop_fp8<8, __nv_fp8_e4m3>(int, int)",
        "kuserbuffers_pushrecv(int, int, int*, int*, int, unsigned long)",
    ],
    "collectives that NVSHMEM puts on a stream": [
        "void barrier_on_stream_kernel_threadgroup<(threadgroup_t)1>(int, int)",
    ],
    "MoRI": ["EpDispatchIntraNodeKernel_bf16", "EpDispatchLowLatencyAsyncSendCopySlotAssign_bf16"],
    "expert parallelism of TensorRT-LLM and FlashInfer": [
        "moeA2APrepareDispatchKernel",
        "void moeA2ADispatchKernel<8, false>(int const*, DispatchKernelPointers)",
        "moeA2ACombineKernel",
        "void tensorrt_llm::kernels::moeAllToAllKernel<false, false>(int)",
    ],
    "expert parallelism of Ascend's CANN": [
        "aclnnMoeDistributeDispatch_MoeDistributeDispatch_MoeDistributeDispatch",
    ],
    "pplx garden": ["a2a_dispatch_send_kernel", "a2a_combine_recv_kernel"],
    "pplx": [
        "void (anonymous namespace)::dispatchKernel<16u, true, true>(int*, std::byte*, float*)",
    ],
}

COMPUTES = [
    # attention and split-k: partial results of this device are combined
    "void cutlass::device_kernel<flash::FlashAttnFwdCombine<cute::tuple<cute::C<16>>, float>>(int)",
    "ambient_occlusion_kernel",
    "void raytrace::occlusion::kernel<float>(int)",
    "void flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4>>(int)",
    "flash_fwd_mla_combine_kernel",
    "void splitKreduce_kernel<32, 16, int, float, __nv_bfloat16>(int)",
    "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16>(int)",
    "void cutlass::Kernel<cutlass::reduction::kernel::ReduceSplitK<cutlass::MatrixShape<4, 128>>>",
    # experts of this device
    "void vllm::moe::moe_align_block_size_kernel<int>(int*, int*)",
    "void vllm::moe::moe_sum_kernel<c10::BFloat16, 8>(c10::BFloat16*)",
    "moe_sum_reduce_kernel",
    "_fwd_kernel_ep_scatter_1",
    "_fwd_kernel_ep_gather",
    "deepep_permute_triton_kernel",
    "deepep_post_reorder_triton_kernel",
    "_combined_routing_compute",
    "_finalize_matmul_scatter_bf16",
    "cuda::unique_group_indices_impl(long*, int, int, int)",
    "void cuda::get_fused_mapping<512>(long const*, int*, int*)",
    "void cuda::reduce_fused_impl<__nv_bfloat16, false, false>(int4 const*, float const*)",
    "moe_combine_kernel",
    # words of communication for local work
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(int)",
    "void at::native::vectorized_gather_kernel<16, long>(char*, char*)",
    "void at::native::_scatter_gather_elementwise_kernel<128, 4>(int)",
    "void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>(int)",
    "void at::native::index_elementwise_kernel<128, 4, at::native::index_put_kernel>(int)",
    "void cub::DeviceReduceByKeyKernel<int>(int)",
    "void (anonymous namespace)::groupnorm_kernel_dispatch_down<128>(int)",
    "void recat_copy_async_kernel<4>(int)",
    "aclnnMul_BroadcastToAiCore_BroadcastTo",
    "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16>(int)",
    "void step::combine<8>(int)",
    "void local_device_load_rmsnorm<bf16, 8>(int)",
    "tensorrt_llm::kernels::lowLatencyKernels::fused_a_gemm_kernel",
    # what a kernel works on, not what it does
    "void at::native::elementwise_kernel<4, deep_ep::internode::dispatch>(int)",
    "void permute_kernel<8>(deep_ep::internode::SourceMeta const*, dispatch_t)",
    # torch.compile names what gave a kernel its input
    "triton_poi_fused_add_all_reduce_4",
    "triton_poi_fused_all_reduce_lift_fresh_0",
    "triton_red_fused_add_one_shot_all_reduce_wait_tensor_2",
    "triton_per_fused_all_gather_into_tensor_wait_tensor_1",
    "Memcpy PtoP (Device -> Device)",
    "",
]


@pytest.mark.parametrize(
    ("about", "name"), [(about, name) for about, names in COMMUNICATES.items() for name in names]
)
def test_names_that_communicate(about: str, name: str) -> None:
    assert is_communication_kernel(name)
    entries = {entry.about: entry.pattern for entry in ENTRIES}
    if about in entries:
        assert entries[about].search(qualified_name(name))


def test_every_entry_has_an_example() -> None:
    abouts = [entry.about for entry in ENTRIES]
    assert len(set(abouts)) == len(abouts)
    assert {*abouts, "", "pplx"} == COMMUNICATES.keys()


@pytest.mark.parametrize("name", COMPUTES)
def test_names_that_only_look_like_it(name: str) -> None:
    assert not is_communication_kernel(name)


@pytest.mark.parametrize(
    ("name", "communicates"),
    [
        ("nccl:all_reduce", True),
        ("gloo:all_reduce", True),
        ("xccl:_all_gather_base", True),
        ("ucc:alltoall", True),
        ("c10d::allreduce_", True),
        ("record_param_comms", True),
        ("_c10d_functional::all_gather_into_tensor", True),
        ("symm_mem::multimem_all_reduce_", True),
        ("_c10d_functional::wait_tensor", False),
        ("aten::index_put_", False),
        ("my_nccl:all_reduce", False),
        ("aten::c10d::x", False),
        ("vllm::moe_forward", False),
    ],
)
def test_operators(name: str, communicates: bool) -> None:
    assert is_communication_operator(name) is communicates


@pytest.mark.parametrize(
    ("full", "plain"),
    [
        ("void dpsk::ep::internode::combine<false, 8>(int4*)", "dpsk::ep::internode::combine"),
        (
            "void (anonymous namespace)::multimem_all_reduce_kernel<float>(int)",
            "multimem_all_reduce_kernel",
        ),
        (
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)",
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
        ),
        ("rotary_kernel", "rotary_kernel"),
        ("<lambda>", "<lambda>"),
    ],
)
def test_qualified_names(full: str, plain: str) -> None:
    assert qualified_name(full) == plain


def test_rules_are_brought_into_one_form() -> None:
    assert checked(["Exchange", "/^my.*kernel$/", "Exchange"]) == ("Exchange", "/^my.*kernel$/")
    assert checked(()) == ()


@pytest.mark.parametrize("rule", ["", "  ", 3, None, "/(/", "/*x/"])
def test_rules_that_cannot_be_applied_are_named(rule: object) -> None:
    with pytest.raises(FilterError, match="regular expression"):
        checked([rule])


def test_rules_are_told_with_what_they_match() -> None:
    told = rules_text({"exchange": 1, "/a2a/": 1200, "tpyo": 0})
    assert told == (
        "exchange (1 device event), /a2a/ (1,200 device events), tpyo (matches nothing here)"
    )
