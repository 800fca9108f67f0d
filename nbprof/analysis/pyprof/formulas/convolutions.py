"""Figures of convolutions in one and two dimensions, and of cells of recurrent networks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.pyprof.calls import UnsupportedError, element_bytes
from nbprof.analysis.pyprof.figures import Figures, pairs

if TYPE_CHECKING:
    from nbprof.analysis.pyprof.calls import Call
    from nbprof.analysis.pyprof.figures import Formula
    from nbprof.analysis.pyprof.records import Record

#: Kernels of cuDNN that convolve; all others of a convolution prepare or transform data.
_MAIN: Final = re.compile(
    r"_s884cudnn_|_s1688cudnn_|_scudnn_|2d_grouped_direct_kernel|implicit_convolve_sgemm"
    r"|dgrad2d_alg1_1|wgrad_alg0_engine|dgrad_engine|dgrad_1x1_stride_2x2"
    r"|spatialDepthwiseConvolutionUpdateOutput|winograd3x3Kernel|_sgemm_"
    r"|fermiPlusCgemmLDS128_batched|_gcgemm_|implicit_gemm|xmma_gemm"
)
#: Tile sizes in the names of matrix kernels: ``volta_sgemm_128x64_nn``.
_TILE: Final = re.compile(r"_(\d+)x(\d+)_(?!sliced?)")
_TILED: Final = ("sgemm", "884gemm", "hgemm")
#: Gates of each cell, each a product of its own.
_GATES: Final = {"LSTMCell": 4, "GRUCell": 3, "RNNCell": 1}


def convolution(call: Call, record: Record) -> Figures:
    """Return the figures of a convolution: those of the main kernel count, forward and backward."""
    data, weight = call.tensor(0), call.tensor(1)
    dims = len(weight.shape) - 2
    if dims not in (1, 2) or len(data.shape) != dims + 2:
        message = f"shapes that do not fit: {data};{weight}"
        raise UnsupportedError(message)
    stride, padding, dilation = (
        _pair(call.value(name, at, default), dims, default)
        for name, at, default in (("stride", 3, 1), ("padding", 4, 0), ("dilation", 5, 1))
    )
    groups = int(call.value("groups", 6, 1))
    n, c = data.shape[:2]
    height, width = (1, data.shape[2]) if dims == 1 else data.shape[2:]
    k = weight.shape[0]
    r, s = (1, weight.shape[2]) if dims == 1 else weight.shape[2:]
    p, q = (
        1 + (size + 2 * pad - ((taps - 1) * gap + 1)) // step
        for size, pad, taps, gap, step in zip(
            (height, width), padding, (r, s), dilation, stride, strict=True
        )
    )
    names = ("N", "C", "H", "W", "K", "P", "Q", "R", "S")
    sizes = (n, c, height, width, k, p, q, r, s)
    more = zip(("ph", "pw", "U", "V", "dh", "dw"), (*padding, *stride, *dilation), strict=True)
    params = pairs(*zip(names, sizes, strict=True), *more, ("g", groups), dtype=data.dtype)
    size = element_bytes(data.dtype)
    name = record.short_name
    if "calc_bias_diff" in name:
        return Figures(n * k * p * q, 2 * n * k * p * q * size, params)
    if not _MAIN.search(name):
        return Figures(0, 0, params)
    flops = 2 * n * k * p * q * c * r * s // groups
    bytes_ = size * (n * c * height * width + k * c * r * s // groups + n * k * p * q)
    return Figures(flops, bytes_, params, multiplies=True)


def _pair(value: Any, dims: int, neutral: int) -> tuple[int, int]:
    """Return a stride, padding or dilation in two dimensions; the first of one has the neutral."""
    given = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    given = given * dims if len(given) == 1 else given
    if len(given) != dims or not all(isinstance(one, int) for one in given):
        message = f"the argument {value!r}"
        raise UnsupportedError(message)
    return (neutral, given[0]) if dims == 1 else (given[0], given[1])


def cell(call: Call, record: Record) -> Figures:
    """Return the figures of a kernel of an LSTM, GRU or RNN cell.

    Forward, a cell multiplies its input, then its state, and combines both. Backward, the tiles of
    a kernel tell which product it is.
    """
    gates = _GATES.get(call.module)
    data, state = call.tensor(0), call.tensor(1)
    if gates is None or len(data.shape) != 2 or len(state.shape) != 2:
        message = f"{call.module}.forward"
        raise UnsupportedError(message)
    (batch, inputs), hidden = data.shape, state.shape[1]
    size = element_bytes(data.dtype)
    product = None
    if not record.is_backward:
        which = record.ordinal % 3
        if which == 2:
            elements = 2 * gates * hidden * batch + 3 * hidden * batch
            return Figures(0, elements * size, _cell_params(call, inputs, hidden, batch))
        product = ("layer", inputs) if which == 0 else ("recur", hidden)
        m, n, k = gates * hidden, batch, product[1]
    else:
        found = _backward_product(record, gates, inputs, hidden, batch)
        if found is None:
            return Figures(0, 0, _cell_params(call, inputs, hidden, batch))
        product, (m, n, k) = (found[0], 0), found[1]
    params = pairs(("gemm", product[0]), ("M", m), ("N", n), ("K", k), dtype=data.dtype)
    return Figures(2 * m * n * k, size * (m * k + k * n + m * n), params, multiplies=True)


def _cell_params(call: Call, inputs: int, hidden: int, batch: int) -> str:
    dtype = call.tensor(0).dtype
    return pairs(("cell", call.module), ("X", inputs), ("H", hidden), ("B", batch), dtype=dtype)


def _backward_product(
    record: Record, gates: int, inputs: int, hidden: int, batch: int
) -> tuple[str, tuple[int, int, int]] | None:
    """Return which product a kernel of the backward pass computes, and its sizes."""
    name = record.short_name
    tile = _TILE.search(name)
    grid = [int(size) for size in record.grid.split(",") if size.strip().isdigit()]
    if tile is None or len(grid) < 2 or not any(word in name for word in _TILED):
        return None
    m, n = int(tile[1]) * grid[0], int(tile[2]) * grid[1]
    if m not in (hidden, inputs):
        return None
    is_state = m == hidden
    if name.endswith("_nn"):
        return ("recur" if is_state else "layer"), (m, batch if is_state else n, gates * hidden)
    if name.endswith("_nt"):
        return ("recur" if is_state else "layer"), (m, n, batch)
    return None


FORMULAS: Final[dict[str, Formula]] = {"conv1d": convolution, "conv2d": convolution}
