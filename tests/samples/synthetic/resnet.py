"""A ResNet-18 for ten classes, as modules that call the operators of `layers`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.samples.synthetic import layers
from tests.samples.synthetic.autograd import Parameter, Run, Tensor

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

MODEL_FILE = "train_resnet.py"
CALL = "torch/nn/modules/module.py(1782): _call_impl"
NORMALISE = (
    "torch/nn/modules/batchnorm.py(176): forward",
    "torch/nn/functional.py(2859): batch_norm",
    "<built-in method batch_norm of type object>",
)
RECTIFY = (
    "torch/nn/modules/activation.py(144): forward",
    "torch/nn/functional.py(1760): relu",
    "<built-in method relu_ of type object>",
)
POOL_MAX = ("torch/nn/modules/pooling.py(226): forward", "torch/nn/functional.py(830): _max_pool2d")
POOL_MEAN = (
    "torch/nn/modules/pooling.py(1510): forward",
    "torch/nn/functional.py(1382): adaptive_avg_pool2d",
)
LINEAR = (
    "torch/nn/modules/linear.py(134): forward",
    "<built-in function linear>",
)
Forward = Callable[[Tensor], Tensor]


class ResNet:
    """The network of one rank.

    Parameters
    ----------
    run : Run
        Where its operators execute.
    classes : int
        Number of outputs. Ten is no multiple of 8, which keeps the last layer off tensor cores.
    """

    def __init__(self, run: Run, classes: int = 10) -> None:
        self.run = run
        self.parameters: list[Parameter] = []
        self._numbers: dict[str, int] = {}
        self._name = self._numbered("ResNet")
        stem = [self._convolution("conv1", 3, 64, 7, 2), self._norm("bn1", 64), self._relu()]
        stem.append(self._simple("MaxPool2d", POOL_MAX, layers.pool_max))
        self._parts = stem
        width = 64
        for stage, outputs in enumerate((64, 128, 256, 512), start=1):
            self._parts.append(self._stage(f"layer{stage}", width, outputs))
            width = outputs
        self._parts.append(self._simple("AdaptiveAvgPool2d", POOL_MEAN, layers.pool_mean))
        self._head = self._linear("fc", width, classes)

    def __call__(self, images: Tensor) -> Tensor:
        """Return the scores of a batch."""
        run = self.run
        with self._module(self._name, f"{MODEL_FILE}(64): forward"):
            values = images
            for part in self._parts:
                values = part(values)
            with run.thread.frame("<built-in method flatten of type object>"):
                values = layers.flatten(run, values)
            return self._head(values)

    def _module(self, name: str, *frames: str) -> AbstractContextManager[None]:
        return self.run.thread.frame(CALL, *frames, module=name)

    def _numbered(self, class_: str) -> str:
        number = self._numbers.get(class_, 0)
        self._numbers[class_] = number + 1
        return f"{class_}_{number}"

    def _parameter(self, name: str, *shape: int) -> Parameter:
        self.parameters.append(Parameter(name, shape))
        return self.parameters[-1]

    def _convolution(self, name: str, inputs: int, outputs: int, size: int, stride: int) -> Forward:
        module = self._numbered("Conv2d")
        weight = self._parameter(f"{name}.weight", outputs, inputs, size, size)

        def forward(values: Tensor) -> Tensor:
            with self._module(module, *layers.CONVOLUTION):
                return layers.convolve(self.run, values, weight, stride, first=inputs == 3)

        return forward

    def _norm(self, name: str, channels: int) -> Forward:
        module = self._numbered("BatchNorm2d")
        weight = self._parameter(f"{name}.weight", channels)
        bias = self._parameter(f"{name}.bias", channels)

        def forward(values: Tensor) -> Tensor:
            with self._module(module, *NORMALISE):
                return layers.normalise(self.run, values, weight, bias)

        return forward

    def _relu(self) -> Forward:
        return self._simple("ReLU", RECTIFY, layers.rectify)

    def _simple(
        self, class_: str, frames: tuple[str, ...], operator: Callable[[Run, Tensor], Tensor]
    ) -> Forward:
        module = self._numbered(class_)

        def forward(values: Tensor) -> Tensor:
            with self._module(module, *frames):
                return operator(self.run, values)

        return forward

    def _linear(self, name: str, inputs: int, outputs: int) -> Forward:
        module = self._numbered("Linear")
        weight = self._parameter(f"{name}.weight", outputs, inputs)
        bias = self._parameter(f"{name}.bias", outputs)

        def forward(values: Tensor) -> Tensor:
            with self._module(module, *LINEAR):
                return layers.linear(self.run, values, weight, bias)

        return forward

    def _stage(self, name: str, inputs: int, outputs: int) -> Forward:
        module = self._numbered("Sequential")
        first = self._block(f"{name}.0", inputs, outputs, 1 if inputs == outputs else 2)
        second = self._block(f"{name}.1", outputs, outputs, 1)

        def forward(values: Tensor) -> Tensor:
            with self._module(module, "torch/nn/modules/container.py(248): forward"):
                return second(first(values))

        return forward

    def _block(self, name: str, inputs: int, outputs: int, stride: int) -> Forward:
        module = self._numbered("BasicBlock")
        body = [
            self._convolution(f"{name}.conv1", inputs, outputs, 3, stride),
            self._norm(f"{name}.bn1", outputs),
            self._relu(),
            self._convolution(f"{name}.conv2", outputs, outputs, 3, 1),
            self._norm(f"{name}.bn2", outputs),
        ]
        final = self._relu()
        shortcut = [] if stride == 1 else self._shortcut(name, inputs, outputs)

        def forward(values: Tensor) -> Tensor:
            with self._module(module, f"{MODEL_FILE}(38): forward"):
                kept = values.hold()
                for part in body:
                    values = part(values)
                for part in shortcut:
                    kept = part(kept)
                return final(layers.add_in_place(self.run, values, kept))

        return forward

    def _shortcut(self, name: str, inputs: int, outputs: int) -> list[Forward]:
        module = self._numbered("Sequential")
        parts = [
            self._convolution(f"{name}.downsample.0", inputs, outputs, 1, 2),
            self._norm(f"{name}.downsample.1", outputs),
        ]

        def forward(values: Tensor) -> Tensor:
            with self._module(module, "torch/nn/modules/container.py(248): forward"):
                for part in parts:
                    values = part(values)
                return values

        return [forward]
