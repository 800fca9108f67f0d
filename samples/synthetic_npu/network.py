"""A small convolutional network as trees of operator calls, each with the kernel it asks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

BATCH, CLASSES = 64, 10
#: Channels in, channels out, height and width of the output of each convolution.
CONVOLUTIONS = ((3, 32, 64), (32, 64, 32), (64, 128, 16), (128, 256, 8))
FLOAT = 4


@dataclass
class Kernel:
    """What an operator asks the NPU for; operations and bytes say how long it takes."""

    type: str
    core: str
    operations: float
    inputs: list[list[int]]
    outputs: list[list[int]]


@dataclass
class Call:
    """A call of an operator, with the calls inside it."""

    name: str
    shapes: list[list[int]] = field(default_factory=list)
    inner: list[Call] = field(default_factory=list)
    kernel: Kernel | None = None
    output: int = 0
    keeps: bool = False
    sequence: int = -1
    module: str = ""


def _ask(name: str, kernel: Kernel) -> Call:
    """Return the call of the NPU's own library that launches a kernel."""
    return Call(f"aclnn{name}", kernel=kernel)


def _vector(type_: str, shape: list[int], *, reads: int = 1, per_element: float = 1.0) -> Kernel:
    """Return a kernel that goes through a tensor element by element."""
    operations = per_element * prod(shape)
    return Kernel(type_, "AI_VECTOR_CORE", operations, [shape] * reads, [shape])


def _bytes(shape: list[int]) -> int:
    return FLOAT * prod(shape)


def forward() -> list[Call]:
    """Return the operators of a forward pass with its loss, in order; each with its module."""
    calls = []
    sequence = 100
    for number, (inputs, outputs, size) in enumerate(CONVOLUTIONS):
        image = [BATCH, inputs, size * (1 if number == 0 else 2), size * (1 if number == 0 else 2)]
        weight, result = [outputs, inputs, 3, 3], [BATCH, outputs, size, size]
        work = 2.0 * prod(result) * inputs * 9
        kernel = Kernel("Conv2D", "AI_CORE", work, [image, weight], [result])
        convolution = Call(
            "aten::convolution",
            [image, weight],
            [Call("aten::_convolution", [image, weight], [_ask("Convolution", kernel)])],
            output=_bytes(result),
            keeps=True,
        )
        calls.append(Call("aten::conv2d", [image, weight], [convolution], sequence=sequence))
        norm = _ask("BatchNorm", _vector("BNTrainingUpdate", result, per_element=4))
        calls.append(
            Call(
                "aten::batch_norm",
                [result, [outputs], [outputs]],
                [
                    Call(
                        "aten::native_batch_norm",
                        [result],
                        [norm],
                        output=_bytes(result),
                        keeps=True,
                    )
                ],
                sequence=sequence + 1,
            )
        )
        relu = _ask("InplaceRelu", _vector("Relu", result))
        calls.append(Call("aten::relu_", [result], [relu], sequence=sequence + 2))
        for call, module in zip(calls[-3:], ("Conv2d", "BatchNorm2d", "ReLU"), strict=True):
            call.module = f"nn.Module: {module}_{number}"
        sequence += 3
    last = CONVOLUTIONS[-1][1]
    features, scores = [BATCH, last], [BATCH, CLASSES]
    pooled = [BATCH, last, CONVOLUTIONS[-1][2], CONVOLUTIONS[-1][2]]
    mean = Kernel("ReduceMean", "MIX_AIV", float(prod(pooled)), [pooled], [features])
    calls.append(
        Call(
            "aten::mean",
            [pooled],
            [_ask("Mean", mean)],
            output=_bytes(features),
            keeps=True,
            sequence=sequence,
        )
    )
    product = Kernel(
        "MatMulV2", "AI_CORE", 2.0 * BATCH * last * CLASSES, [features, [last, CLASSES]], [scores]
    )
    calls.append(
        Call(
            "aten::linear",
            [features, [CLASSES, last]],
            [
                Call(
                    "aten::addmm",
                    [[CLASSES], features],
                    [_ask("Addmm", product)],
                    output=_bytes(scores),
                    keeps=True,
                )
            ],
            sequence=sequence + 1,
            module="nn.Module: Linear_0",
        )
    )
    softmax = _ask("LogSoftmax", _vector("LogSoftmaxV2", scores, per_element=8))
    calls.append(
        Call(
            "aten::log_softmax",
            [scores],
            [softmax],
            output=_bytes(scores),
            keeps=True,
            sequence=sequence + 2,
        )
    )
    loss = _ask("NLLLoss", Kernel("NLLLoss", "AI_VECTOR_CORE", BATCH, [scores, [BATCH]], [[]]))
    calls.append(Call("aten::nll_loss", [scores, [BATCH]], [loss], sequence=sequence + 3))
    return calls


def backward() -> list[Call]:
    """Return the operators of the backward pass, in order."""
    last = CONVOLUTIONS[-1][1]
    features, scores = [BATCH, last], [BATCH, CLASSES]
    sequence = 100 + 3 * len(CONVOLUTIONS)
    calls = [
        _gradient(
            "NllLossBackward0",
            sequence + 3,
            [_ask("NLLLossBackward", _vector("NLLLossGrad", scores))],
            [scores],
        ),
        _gradient(
            "LogSoftmaxBackward0",
            sequence + 2,
            [_ask("LogSoftmaxBackward", _vector("LogSoftmaxGrad", scores, reads=2))],
            [scores],
        ),
        _gradient(
            "AddmmBackward0",
            sequence + 1,
            [
                Call(
                    "aten::mm",
                    [scores, [CLASSES, last]],
                    [_ask("Mm", _product(BATCH, CLASSES, last))],
                ),
                Call(
                    "aten::mm",
                    [[CLASSES, BATCH], features],
                    [_ask("Mm", _product(CLASSES, BATCH, last))],
                ),
            ],
            [scores],
        ),
        _gradient("MeanBackward1", sequence, [_ask("Div", _vector("Mul", features))], [features]),
    ]
    for number, (inputs, outputs, size) in reversed(list(enumerate(CONVOLUTIONS))):
        result = [BATCH, outputs, size, size]
        weight = [outputs, inputs, 3, 3]
        work = 2.0 * prod(result) * inputs * 9
        sequence = 100 + 3 * number
        calls.append(
            _gradient(
                "ReluBackward0",
                sequence + 2,
                [_ask("ThresholdBackward", _vector("ReluGrad", result, reads=2))],
                [result],
            )
        )
        calls.append(
            _gradient(
                "NativeBatchNormBackward0",
                sequence + 1,
                [
                    _ask(
                        "BatchNormBackward",
                        _vector("BNTrainingUpdateGrad", result, reads=2, per_element=6),
                    )
                ],
                [result],
            )
        )
        asks = [
            _ask(
                "ConvolutionBackward",
                Kernel("Conv2DBackpropFilter", "AI_CORE", work, [result, weight], [weight]),
            )
        ]
        if number:
            asks.append(
                _ask(
                    "ConvolutionBackward",
                    Kernel("Conv2DBackpropInput", "MIX_AIC", work, [result, weight], [result]),
                )
            )
        calls.append(
            _gradient(
                "ConvolutionBackward0",
                sequence,
                [Call("aten::convolution_backward", [result, weight], asks, output=_bytes(weight))],
                [result],
            )
        )
    return calls


def update() -> list[Call]:
    """Return the operators of the optimizer."""
    weights = [[outputs, inputs, 3, 3] for inputs, outputs, _ in CONVOLUTIONS]
    return [
        Call(
            f"aten::_foreach_{name}_",
            weights,
            [
                _ask(
                    f"Foreach{name.title()}Scalar",
                    _vector(f"Foreach{name.title()}", [sum(map(prod, weights))], reads=2),
                )
            ],
        )
        for name in ("mul", "add", "add")
    ]


def gradient_bytes() -> int:
    """Return the size of all gradients."""
    weights = sum(FLOAT * outputs * inputs * 9 for inputs, outputs, _ in CONVOLUTIONS)
    return weights + FLOAT * CLASSES * CONVOLUTIONS[-1][1]


def _product(rows: int, inner: int, columns: int) -> Kernel:
    return Kernel(
        "MatMulV2",
        "AI_CORE",
        2.0 * rows * inner * columns,
        [[rows, inner], [inner, columns]],
        [[rows, columns]],
    )


def _gradient(name: str, sequence: int, inner: list[Call], shapes: list[list[int]]) -> Call:
    node = Call(name, shapes, inner, sequence=sequence)
    return Call(f"autograd::engine::evaluate_function: {name}", [], [node])
