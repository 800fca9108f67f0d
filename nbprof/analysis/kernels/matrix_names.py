"""Interprets kernel names: whether a name shows use of matrix units, no use, or neither.

Libraries put the instruction or the pipeline into the names of their kernels: ``s16816gemm``
contains the shape of an NVIDIA instruction, ``MI16x16x1`` that of an AMD one, and ``sgemm`` uses no
matrix units. Names are matched as recorded, demangled or not.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.building import arrow_array
from nbprof.model.names.distinct_names import FEW, has
from nbprof.model.names.long_names import ends_of, is_cut
from nbprof.model.names.name_tests import relaxed

if TYPE_CHECKING:
    from nbprof.model.names.distinct_names import Block, Names

Mask = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int8]

#: What a name shows.
UNKNOWN, NOT_USED, USED = -1, 0, 1


class _Words:
    """A set of words and patterns to search for in names, given as text separated by white space.

    Each is searched separately: template names have thousands of characters, and a regular
    expression of all alternatives would be tried at every character. A pattern is compiled when a
    name contains the letters that it begins with: compiling all takes longer than most traces do.
    """

    def __init__(self, words: str) -> None:
        every = words.split()
        self._plain = tuple(word for word in every if re.fullmatch(r"[\w:<]+", word))
        self._patterns = [word for word in every if word not in self._plain]
        self._searches = tuple((_needed(word), word) for word in self._patterns)

    def found_in(self, name: str) -> bool:
        """Return whether the name contains any of them."""
        # Without a step of Python for each word: a trace may have a million names.
        if any(map(name.__contains__, self._plain)):
            return True
        return any(needed in name and _compiled(one).search(name) for needed, one in self._searches)

    def found_in_each(self, texts: pa.Array) -> Mask:
        """Return which texts of a block of names contain any of them, shape (texts,)."""
        sure, possible = self._for_arrow
        found = has(texts, sure)
        if possible:
            # RE2 has no look-arounds: where their patterns may be found, Python looks.
            for at in np.flatnonzero(has(texts, possible) & ~found).tolist():
                found[at] = self.found_in(texts[at].as_py())
        return found

    @cached_property
    def _for_arrow(self) -> tuple[str, str]:
        """Patterns for RE2: of what is sufficient, and of what may be."""
        sure = [word for word in self._patterns if relaxed(word) == word]
        possible = [relaxed(word) for word in self._patterns if relaxed(word) != word]
        return "|".join([*map(re.escape, self._plain), *sure]), "|".join(possible)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _needed(pattern: str) -> str:
    """Return letters that each match of a pattern begins with; looking for them is fast."""
    start = re.sub(r"^\(\?[<!=]+[^)]*\)", "", pattern)  # what must not come before
    letters = re.match(r"[\w:]*", start)
    found = letters[0] if letters else ""
    return found[:-1] if start[len(found) : len(found) + 1] in ("?", "*", "{") else found


#: Auxiliary kernels of a product that are named after it: they prepare operands, sum partial
#: results or convert results. In lower case.
_AUXILIARY: Final = _Words(r"""
    flashattn\w*(?:combine|preprocess|postprocess) flash_\w*_combine _preprocess _postprocess
    flash_bwd_dot_do_o flash_bwd_convert flash_bwd_clear
    fmha\w*(?:ograddoto|convertqgrad|combine|appendkv) fmha_bwd_\w*(?:odo_|dq_convert|dq_shuffle)
    prepare_varlen_num_blocks mla_metadata mqa_logits_metadata mla_reduce mergestates
    paged_attention_\w*reduce repack prepack splitkreduce splitk_reduce split_k_reduce postgsu
    execute_split_?k_kernel
    cijk_(?:\w+_)?ga$ moesorting moe_sorting moe_align moe_sum finalizemoerouting
    moe::dev::finalize moe::dev::routing moe::dev::activation moe::dev::permute
    transpose_and_pack grouped_gemm::cuda::utils compute_gemm_pointers im2col im2d2col col2im
    reduce_wgrad reducesplitk kern_precompute nchwtonhwc nhwctonchw compute\w*offsets
""")
#: Products on general-purpose units, whatever else the name contains.
_SIMT: Final = _Words("simt Simt _ffma_ _f32f32_f32f32_ UniversalFMA")

_USED: Final = _Words(r"""
    h884 s884 h1688 s1688 c1688 hmma i8816 16816 d884 z884 i16832
    dgrad_1x1_stride_2x2 first_layer_wgrad_kernel conv1x1 conv2d_c1_k1 direct_group
    xmma_implicit_gemm xmma_sparse_conv xmma_warp_specialized_implicit_gemm
    xmma_gemm xmma_sparse_gemm

    tensorop TensorOp tensor\d+x\d+x\d+ wgmma gmma Gmma GMMA imma bmma dmma mma_sync nvjet
    sm90_xmma tcgen05 UMMA SM\d\d+_\d+x\d+x\d+ m(?:8|16)n8k\d m16nXk m64n\d+k\d
    [sS][mM]1\d\d[a-z]?\w*?(?:[gG]e?mm|GEMM|[fF]mha|(?<![a-z])u?mma)
    [gG]emm\w*?[sS][mM]1\d\d fmha\w*?[sS][mM]1\d\d _u?mma\w*?sm1\d\d
    ^(?:bmm|gemm)_[A-Z]\w+_Fp32_\w*sm\d\d

    cutlass(?:::|\d+)device_kernel.*(?:[gG]emm|ConvUniversal|FlashAttn|[fF]mha)
    kernel_cutlass_\w*?(?i:gemm|flash_?att|fmha|_mla) machete
    deep_gemm::\w*(?:gemm|mqa_logits|einsum) sm\d+_(?:fp8|bf16|fp4)_\w*(?:gemm|mqa_logits)

    flash_fwd_kernel flash_fwd_splitkv\w*kernel flash_bwd_dq_dk_dv FlashAttn(?:Fwd|Bwd)
    FlashAttentionForward FlashAttentionBackward compute_attn_ws flash::\w*mla\w*kernel
    sparse_attn_fwd fmha_(?:fwd|bwd)_(?:loop|dq_dk_dv)\w*kernel fmha_v2_
    fused_multihead_attention_v2 fmhaSm\d cudnn_generated_fort_native_sdpa
    fmha_cutlass[FB]_b?f16_\w*sm[789] fmha_cutlass[FB]_f32_\w*sm[89]
    (?:Batch|Single)Prefill\w*Kernel BatchMLAPagedAttention MlaCuteSM80 PODWithKVCache
    [mM]arlin(?:_24|_moe\w*)?(?:::|\w*<|E?I)

    _MI\d+x\d mfma MFMA xdl Xdl XDL wmma WMMA gtcx gtcw
    ck::(?:\w+::)*(?!\w*_dl_)\w*gemm _ZN2ck\d+kernel_(?!\w*_dl_)\w{0,30}?gemm
    ck_tile.*(?:Gemm|Flatmm|FmhaFwd|FmhaBwd|GroupedConvolution|Fmoe|BatchedContraction)\w*Kernel
    aiter(?:::|\d+)(?:fmha_|fwd_(?:hd|fp8|bf16)|fmoe_|\w*?gemm_|flatmm|mla_|pa_(?:bf16|fp16|ps_))
""")
_NOT_USED: Final = _Words(r"""
    gemm(?![a-z])(?<=[sdcz]gemm)(?<![a-z\d]\wgemm) scudnn dcudnn
    maxwell_hgemm pascal_hgemm volta_hgemm turing_hgemm gemv gemmSN_ gemmk1_ dot_kernel
    gemm_half_q_half _naive naive_conv dgrad_engine wgrad_alg\d dgrad2d_alg
    dgrad2d_grouped_direct wgrad2d_grouped_direct conv2d_grouped_direct conv_depthwise fft2d_
    inograd\w*<(?:\d+,\s)?float

    BatchDecodeWithPagedKVCacheKernel SingleDecodeWithKVCacheKernel
    paged_attention_v1_kernel paged_attention_v2_kernel
    fmha_cutlass[FB]_f32_\w*sm[567] fmha_cutlass[FB]_b?f16_\w*sm5

    Cijk_\w*_TT\d+_\d _dl_ gcnAsmConv GcnAsmConv Sp3AsmConv_\w*(?:fp32|dot2) ^MIOpenC
    ck_tile.*?(?:Rmsnorm|Layernorm|[Ss]moothquant|TopkSoftmax|Permute|ElementWise|Reduce)\w*(?:Fwd|Kernel)
    triton_poi_
""")
#: PyTorch's own kernels, and other kernels of libraries that do not multiply matrices.
_HELPERS: Final = re.compile(
    r"^at::(?:native|cuda)|^cudnn::ops::|^epilogue::impl::|(?:^|::)(?:cub|thrust)::"
)
#: Kernels that Inductor generates for reductions; those named ``poi`` are elementwise.
_REDUCTION: Final = re.compile(r"^triton_(?:red|per|spl|for|scan)\w*_fused_")

#: Words in function names of kernels that multiply no matrices, in lower case.
_PLAIN: Final = _Words(r"""
    elementwise element_wise reduce reduction softmax soft_max layernorm layer_norm rmsnorm
    rms_norm groupnorm group_norm batchnorm batch_norm bn_bw bn_fw ln_fwd ln_bwd dropout copy
    memset memcpy (?<!pre)fill transpose gather scatter index(?!er) sort topk top_k cumsum catarray
    concat embedding embs rotary rope pool act_and_mul activation silu gelu relu swiglu sigmoid
    quant cast (?<![a-z])scale(?!d) (?<![a-z])scal_kernel adam sgd_ momentum multi_tensor_apply
    sampling sampler distribution random cross_entropy nll_loss _loss upsample interpolate
    grid_sample unique arange histogram permute reshape unfold (?<![a-z])pad(?![a-z]) tril triu
    argmax argmin (?<![a-z])where compare bitmap bincount expand op_tensor optensor addtensor
    add_tensor bounds_check linearize reverse_padded convert_ clamp _to_float _to_half _to_dense
    float_to_ offsets_range qparam
""")
#: Words for products that may be fused into such a kernel, so the words above prove nothing.
_PRODUCT: Final = _Words(r"""
    (?<!fb)gemm gemv matmul mul_mat (?<![a-z])b?mm(?![a-z]) addmm dot attn attention conv(?!ert)
    mha mla moe expert linear(?!ize) mlp lstm gru rnn ssm ssd mamba proj einsum wgrad dgrad fprop
    ffn
""")


def use_by_name(name: str) -> bool | None:
    """Return whether the full name of a kernel shows that it uses matrix units.

    Parameters
    ----------
    name : str
        The name as recorded, with templates and arguments, demangled or not.

    Returns
    -------
    bool or None
        None if the name shows neither.
    """
    name = ends_of(name)
    if _AUXILIARY.found_in(name.lower()) or _SIMT.found_in(name):
        return False
    if _USED.found_in(name):
        return True
    if _NOT_USED.found_in(name) or _is_plain(name):
        return False
    return None


def uses_of(names: Names) -> Codes:
    """Return what each of many distinct names shows, shape (names,): `USED`, `NOT_USED`, `UNKNOWN`.

    The results are those of `use_by_name`.
    """
    if len(names) < FEW:
        return np.fromiter(map(_use, names.texts), np.int8, len(names))
    return np.concatenate([_uses_of_block(block) for block in names.blocks])


def _use(name: str) -> int:
    use = use_by_name(name)
    return UNKNOWN if use is None else int(use)


def _uses_of_block(block: Block) -> Codes:
    texts = block.usual
    long = list(map(is_cut, block.texts))
    one_by_one = np.flatnonzero(block.unusual | np.array(long, bool))
    use = np.full(len(texts), UNKNOWN, np.int8)
    functions = _functions_of(texts)
    small = pc.ascii_lower(functions)
    use[_helps(texts, functions) | _PLAIN.found_in_each(small)] = NOT_USED
    use[_PRODUCT.found_in_each(small)] = UNKNOWN
    use[_NOT_USED.found_in_each(texts)] = NOT_USED
    use[_USED.found_in_each(texts)] = USED
    use[_AUXILIARY.found_in_each(pc.ascii_lower(texts)) | _SIMT.found_in_each(texts)] = NOT_USED
    use[one_by_one] = [_use(block.texts[at]) for at in one_by_one.tolist()]
    return use


def _helps(texts: pa.Array, functions: pa.Array) -> Mask:
    return has(functions, _HELPERS.pattern) | has(texts, _REDUCTION.pattern)


def _functions_of(texts: pa.Array) -> pa.Array:
    """Return what `function_of` returns for each name of a block."""
    plain = pc.replace_substring(texts, "(anonymous namespace)::", "")
    functions = pc.replace_substring_regex(plain, r"^void ", "")
    functions = pc.replace_substring_regex(functions, r"[<(].*", "")
    others = np.flatnonzero(has(texts, "^_Z") | has(plain, "^std::enable_if"))
    if not len(others):
        return functions
    found = functions.to_pylist()
    for at in others.tolist():
        found[at] = function_of(texts[at].as_py())
    return arrow_array(found, pa.utf8())


def _is_plain(name: str) -> bool:
    """Return whether a kernel only computes elementwise, reduces, copies or the like."""
    function = function_of(name)
    in_small = function.lower()
    if _PRODUCT.found_in(in_small):
        return False
    helps = _HELPERS.search(function) or _REDUCTION.search(name)
    return helps is not None or _PLAIN.found_in(in_small)


def function_of(name: str) -> str:
    """Return the qualified name of a kernel's function: no templates, arguments or return type."""
    if name.startswith("_Z"):
        return "::".join(_identifiers(name))
    plain = name.replace("(anonymous namespace)::", "")
    if plain.startswith("std::enable_if"):  # a return type of several words
        plain = plain.rpartition(">::type ")[2] if ">::type " in plain else plain
        plain = plain.partition("::type ")[2] or plain
    return re.split(r"[<(]", plain.removeprefix("void "), maxsplit=1)[0]


def _identifiers(mangled: str) -> list[str]:
    """Return the identifiers at the start of a mangled name, before templates and arguments."""
    at = 3 if mangled.startswith("_ZN") else 2
    found = []
    while length := re.match(r"\d+", mangled[at:]):
        begin = at + length.end()
        at = begin + int(length[0])
        found.append(mangled[begin:at])
    return found
