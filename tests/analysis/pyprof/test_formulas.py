"""FLOPs and bytes of PyProf's report, computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

from nbprof.analysis.pyprof.calls import UnsupportedError, call_of
from nbprof.analysis.pyprof.operators import figures_of
from nbprof.analysis.pyprof.records import Record

Given = dict[str, Any]


def tensor(*shape: int, dtype: str = "float32", name: str = "") -> Given:
    return {"name": name, "type": "tensor", "shape": shape, "dtype": dtype}


def value(given: Any, name: str = "") -> Given:
    return {"name": name, "type": type(given).__name__, "value": given}


def record(
    function: str,
    *arguments: Given,
    module: str = "torch",
    kernel: str = "elementwise_kernel",
    backward: bool = False,
    ordinal: int = 0,
    grid: str = "1,1,1",
) -> Record:
    call = call_of({"mod": module, "op": function, "args": list(arguments)})
    assert call is not None
    return Record(
        kernel,
        1,
        grid=grid,
        calls=[call],
        is_backward=backward,
        ordinal=ordinal,
        modules=[module],
        operators=[function],
    )


X, W = tensor(8, 16), tensor(32, 16)  # a linear layer: 8 rows, 16 inputs, 32 outputs


@pytest.mark.parametrize(
    ("given", "flops", "bytes_", "params"),
    [
        # 2·m·n·k; 4 bytes · (mn + mk + nk)
        (record("mm", tensor(2, 3), tensor(3, 4)), 48, 4 * (8 + 6 + 12), "M=4,N=2,K=3,fp32,"),
        (
            record("addmm", tensor(4), tensor(2, 3), tensor(3, 4), value(1, "beta")),
            48,
            4 * (8 + 6 + 12),
            "M=4,N=2,K=3,fp32,",
        ),
        (
            record("bmm", tensor(5, 2, 3, dtype="bfloat16"), tensor(5, 3, 4, dtype="bfloat16")),
            5 * 48,
            2 * 5 * (8 + 6 + 12),
            "B=5,M=4,N=2,K=3,bf16,",
        ),
        (
            record("matmul", tensor(7, 2, 3), tensor(3, 4), kernel="sgemm"),
            7 * 48,
            4 * (7 * 6 + 12 + 7 * 8),
            "A=(7,2,3),B=(3,4),fp32,",
        ),
        (record("matmul", tensor(3), tensor(3), kernel="dot_kernel"), 6, 28, "A=(3,),B=(3,),fp32,"),
        (record("matmul", tensor(7, 2, 3), tensor(3, 4)), 0, 2 * 4 * 42, "A=(7,2,3),B=(3,4),fp32,"),
        (
            record("linear", X, W, kernel="sgemm_nt"),
            2 * 8 * 16 * 32,
            4 * (8 * 32 + 8 * 16 + 32 * 16),
            "M=32,N=(8,),K=16,fp32,",
        ),
        (
            record("linear", X, W, kernel="sgemm_nn", backward=True, ordinal=1),
            2 * 8 * 16 * 32,
            4 * (8 * 32 + 8 * 16 + 32 * 16),
            "M=16,N=32,K=(8,),fp32,",
        ),
        (record("linear", X, W, kernel="gemm", backward=True, ordinal=2), 0, 0, None),
        (record("linear", X, W), 8 * 32, 2 * 8 * 32 * 4, "M=32,N=(8,),fp32,"),
        # 2·N·K·P·Q·C·R·S/g, with P = Q = 1 + (6 + 2 - 3)//2 = 3
        (
            record(
                "conv2d",
                tensor(2, 4, 6, 6),
                tensor(8, 2, 3, 3),
                value(None),
                value((2, 2)),
                value(1),
                value(1),
                value(2),
                kernel="implicit_convolve_sgemm",
            ),
            2 * 2 * 8 * 9 * 4 * 9 // 2,
            4 * (2 * 4 * 36 + 8 * 2 * 9 + 2 * 8 * 9),
            "N=2,C=4,H=6,W=6,K=8,P=3,Q=3,R=3,S=3,ph=1,pw=1,U=2,V=2,dh=1,dw=1,g=2,fp32,",
        ),
        (
            record(
                "conv1d",
                tensor(2, 4, 10),
                tensor(8, 4, 3),
                value((1,), "padding"),
                kernel="wgrad_alg0_engine",
                backward=True,
            ),
            2 * 2 * 8 * 10 * 4 * 3,
            4 * (2 * 4 * 10 + 8 * 4 * 3 + 2 * 8 * 10),
            None,
        ),
        (record("conv1d", tensor(2, 4, 10), tensor(8, 4, 3), kernel="nchwToNhwc"), 0, 0, None),
        (record("relu", tensor(4, 5)), 20, 2 * 80, "[4,5]fp32"),
        (record("relu", tensor(4, 5), backward=True), 20, 3 * 80, "[4,5]fp32"),
        (record("exp", tensor(4, 5, dtype="float16")), 400, 2 * 40, "[4,5]fp16"),
        (record("add", tensor(4, 5), tensor(5)), 20, 80 + 20 + 80, "[4,5]fp32;[5]fp32"),
        (record("lt", tensor(4, 5), tensor(5)), 20, 80 + 20 + 20, "[4,5]fp32;[5]fp32"),
        (record("add_", tensor(4), value(-1), tensor(4)), 8, 3 * 16, None),
        (record("mul", tensor(4), value(2.0), backward=True), 4, 3 * 16, "[4]fp32;[]fp32"),
        (record("pow", tensor(4), value(2)), 80, 16 + 4 + 16, None),
        (record("addcmul", tensor(4), tensor(4), tensor(4)), 12, 64, None),
        (record("dropout", tensor(10), value(0.5)), 50, 80, "[10]fp32"),
        (record("batch_norm", tensor(2, 3)), 48, 4 * 24, "[2,3]fp32"),
        (record("batch_norm", tensor(2, 3), ordinal=1, backward=True), 48, 0, "[2,3]fp32"),
        (record("softmax", tensor(10)), 400, 120, "[10]fp32"),
        (record("log_softmax", tensor(10), backward=True), 210, 200, "[10]fp32"),
        (record("mse_loss", tensor(10), tensor(10)), 41, 80, "T=(10,),fp32,red=mean,"),
        (record("sum", tensor(10)), 10, 40, "T=(10,),fp32,"),
        (record("mean", tensor(10)), 11, 44, "T=(10,),fp32,"),
        (record("norm", tensor(10), ordinal=1), 0, 0, "T=(10,),fp32,"),
        (
            record("embedding", tensor(6, dtype="int64"), tensor(100, 4)),
            0,
            48 + 2 * 6 * 4 * 4,
            "[6]int64;[100,4]fp32",
        ),
        (
            record("cat", tensor(2, 3), tensor(4, 3), value(0)),
            0,
            2 * 72,
            "T=[2,3]fp32;[4,3]fp32,A=0",
        ),
        (
            record("index_select", tensor(10, 4), value(0), tensor(3, dtype="int64")),
            0,
            2 * 48 + 24,
            "T=(10,4),D=0,I=3,fp32,",
        ),
        (record("masked_select", tensor(10), tensor(10, dtype="bool")), 0, 90, None),
        (record("nonzero", tensor(2, 5)), 0, 40 + 10 * 2 * 8, None),
        (record("copy_", tensor(4), tensor(4, dtype="float16")), 0, 24, "T=(4,),fp32,"),
        (record("half", tensor(4)), 0, 24, None),
        (record("to", tensor(4)), 0, 32, None),
        (record("zeros", value(4), value(5)), 0, 80, None),
        (record("randperm", value(10)), 30, 80, "N=10,"),
        (
            record("forward", tensor(3, 5), tensor(3, 7), module="LSTMCell", kernel="sgemm"),
            2 * 28 * 3 * 5,
            4 * (28 * 5 + 5 * 3 + 28 * 3),
            "gemm=layer,M=28,N=3,K=5,fp32,",
        ),
        (
            record("forward", tensor(3, 5), tensor(3, 7), module="GRUCell", ordinal=2),
            0,
            4 * (2 * 3 * 21 + 3 * 21),
            "cell=GRUCell,X=5,H=7,B=3,fp32,",
        ),
        (
            record(
                "forward",
                tensor(3, 5),
                tensor(3, 64),
                module="LSTMCell",
                kernel="volta_sgemm_32x32_nn",
                backward=True,
                grid="2,1,1",
            ),
            2 * 64 * 3 * 256,
            4 * (64 * 256 + 256 * 3 + 64 * 3),
            "gemm=recur,M=64,N=3,K=256,fp32,",
        ),
    ],
)
def test_by_hand(given: Record, flops: int, bytes_: int, params: str | None) -> None:
    figures = figures_of(given)
    assert (figures.flops, figures.bytes) == (flops, bytes_)
    assert params is None or figures.params == params


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (record("layer_norm", tensor(4)), "no formula for layer_norm"),
        (record("mm", tensor(2, 3), tensor(5, 4)), "operands that do not fit"),
        (record("mm", tensor(2, 3)), "1 tensors given to mm"),
        (record("mm", tensor(2, 3, dtype="alien"), tensor(3, 4, dtype="alien")), "type alien"),
        (record("linear", X, W, kernel="strange"), "the kernel strange in a linear layer"),
        (record("remainder", tensor(4), tensor(4), backward=True), "backward of remainder"),
        (record("conv2d", tensor(2, 4, 6, 6), tensor(8, 4, 3)), "shapes that do not fit"),
        (
            record("conv2d", tensor(1, 1, 4, 4), tensor(1, 1, 1, 1), value(None), value(0)),
            "arguments of conv2d",
        ),
        (record("add", tensor(4), tensor(5)), "shapes that do not fit"),
    ],
)
def test_what_has_no_figures_says_why(given: Record, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        figures_of(given)
