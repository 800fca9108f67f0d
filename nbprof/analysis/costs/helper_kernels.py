"""Which kernels, by their names, only prepare or reduce for the kernel that computes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from nbprof.model.names.name_tests import name_test

#: Kernels that rearrange, fill, reduce or set up for the kernel that computes: those that PyProf
#: lists beside cuDNN's and cuBLAS's, and their newer names.
_HELPER: Final = re.compile(
    r"nchwToNhwc|nhwcToNchw|OffsetsKernel|generateWinogradTiles|winogradWgrad|compute_gemm_pointers"
    r"|flip_filter|fft[12]d_(?:r2c|c2r)|scaleTensor|splitKreduce|split_?k_?reduce|reduce_kernel"
    r"|execute_split_?k_kernel"
    r"|elementwise_kernel|memset|fill_kernel|transpose|convertTensor|SubTensorOp|batched_transpose"
    r"|dot_do_o|convert_dq|cast_|tensorTransform|im2col|col2im",
    re.IGNORECASE,
)


@name_test(_HELPER.pattern)
@lru_cache(maxsize=4096)
def is_helper(name: str) -> bool:
    """Return whether a kernel rearranges, fills, reduces or sets up, by its name.

    Examples
    --------
    >>> is_helper("splitKreduce_kernel"), is_helper("volta_sgemm_128x64_tn")
    (True, False)
    """
    return _HELPER.search(name) is not None
