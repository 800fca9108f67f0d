"""Data types in which kernels multiply matrices, from kernel names or operator inputs.

The type is that of the operands, although half-precision products are accumulated in fp32. If an
operand is dequantized first, its type afterwards counts.
"""

from __future__ import annotations

import json
import re
from typing import Final

from nbprof.model.names.long_names import ends_of

#: All types, fewest bits first; the index of each is its code.
DTYPES: Final = ("fp4", "fp8", "int8", "fp16", "bf16", "tf32", "fp32", "fp64")

#: First letter after nvjet in names of cuBLAS kernels: the type of the first operand.
_NVJET: Final = re.compile(r"nvjet_(?:sm\d+_)?([a-z])[a-z]{2,5}_")
_NVJET_LETTERS: Final = {
    "t": "bf16",
    "h": "fp16",
    "s": "tf32",
    "d": "fp64",
    "q": "fp8",
    "r": "fp8",
    "o": "fp4",
    "i": "int8",
}
#: Operand types in Tensile's names, after the four letters of each index.
_TENSILE: Final = re.compile(r"Cijk_[A-Z][a-z]+_[A-Z][a-z]+_([A-Z][A-Z0-9_]*?)(?:_|$)")
_TENSILE_LETTERS: Final = (
    ("F4", "fp4"),
    ("F8", "fp8"),
    ("B8", "fp8"),
    ("I8", "int8"),
    ("H", "fp16"),
    ("B", "bf16"),
    ("S", "fp32"),
    ("D", "fp64"),
)
#: Type names in libraries, the most specific first. If a name contains several, the wider ones are
#: those of the result and the scales.
_WORDS: Final = tuple(
    (re.compile(pattern), dtype)
    for pattern, dtype in (
        (r"xmma_gemm_e[45]m[23]|_e[45]m[23]", "fp8"),
        (r"xmma_\w*?_(?:f32f32_)?tf32f32|_tf32_|tf32f32|tfloat32", "tf32"),
        (r"xmma_\w*?_bf16", "bf16"),
        (r"xmma_\w*?_f16f", "fp16"),
        (r"xmma_\w*?_f64f64|[dz]884|dmma", "fp64"),
        (r"xmma_\w*?_[iu]8[iu]", "int8"),
        # operands of TensorRT-LLM's generated kernels: the wider type is used for multiplying
        (r"^(?:bmm|gemm)_[A-Za-z0-9]+_\w*?E4m3_Fp32|fmhaSm\d+a?\w*?_Q(?:kv)?E4m3", "fp8"),
        (r"^(?:bmm|gemm)_[A-Za-z0-9]+_\w*?E2m1_Fp32", "fp4"),
        (r"fmhaSm\d+a?\w*?_Q(?:kv)?Bfloat16", "bf16"),
        (r"fmhaSm\d+a?\w*?_Q(?:kv)?Fp16", "fp16"),
        (
            r"nv_float4|mx_float4|float_e2m1|(?<![a-z])fp4|[Mm][Xx]fp4|Fp4|FP4|nvfp4|f4gemm|f4x2",
            "fp4",
        ),
        (r"float_e[45]m[23]|[Ff]loat8|(?<![a-z])fp8|Fp8|FP8|f8_fnuz_t|f8_ocp_t|\bf8_t", "fp8"),
        (r"[Ii]nt8(?!\d)|i8gemm|i8816|i16832|imma|_s8_|_i8_|signed char", "int8"),
        (r"bf16|BF16|[Bb]float16|bhalf|DF16b", "bf16"),
        (r"fp16|FP16|_f16_|half_t|__half|Half|DF16_|_Float16|h884|h1688|h16816", "fp16"),
        (r"fmha_cutlass[FB]_f32|s1688|c1688", "tf32"),
        (r"s884", "fp16"),
        (r"gtc\w+_fp32", "fp32"),
    )
)
#: cuDNN's attention kernels have f16 in their names for both fp16 and bf16.
_SILENT: Final = re.compile(r"cudnn_generated_fort_native_sdpa(?!.*e[45]m3)|aiter\S*?pa_")

_INPUTS: Final = {
    "c10::BFloat16": "bf16",
    "bfloat16": "bf16",
    "c10::Half": "fp16",
    "float16": "fp16",
    "float": "fp32",
    "float32": "fp32",
    "double": "fp64",
    "float64": "fp64",
    "signed char": "int8",
    "int8": "int8",
}


def dtype_by_name(name: str) -> str | None:
    """Return the data type that a kernel's full name shows, None if it shows none.

    The kernel has to use matrix units. The result is one of `DTYPES`.
    """
    name = ends_of(name)
    if _SILENT.search(name):
        return None
    nvjet = _NVJET.search(name)
    if nvjet:
        return _NVJET_LETTERS.get(nvjet[1])
    tensile = _TENSILE.search(name)
    if tensile:
        types = tensile[1]
        return next((d for start, d in _TENSILE_LETTERS if types.startswith(start)), None)
    return next((dtype for pattern, dtype in _WORDS if pattern.search(name)), None)


def dtype_of_inputs(input_types: str) -> str | None:
    """Return the type of the first input that is a floating-point or int8 tensor.

    Parameters
    ----------
    input_types : str
        Types of an operator's inputs as JSON text; any other text gives None.
    """
    try:
        inputs = json.loads(input_types)
    except ValueError:
        return None
    for one in inputs if isinstance(inputs, list) else ():
        text = str(one)
        if text.startswith("c10::Float8"):
            return "fp8"
        if text.startswith("c10::Float4"):
            return "fp4"
        if text in _INPUTS:
            return _INPUTS[text]
    return None
