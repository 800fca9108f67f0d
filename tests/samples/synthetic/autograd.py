"""Tensors on the device, and the tape that the backward pass plays in reverse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.samples.synthetic import kernels
from tests.samples.synthetic.kernels import Kernel, Shape, bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.samples.synthetic.gpu import Gpu
    from tests.samples.synthetic.recorder import Input, Recorder, Thread


@dataclass(eq=False)
class Storage:
    """A block of device memory and how many hold it."""

    address: int
    holders: int = 1


@dataclass(eq=False)
class Tensor:
    """A shape in a storage; `gradient` is what the backward pass has for it so far."""

    shape: Shape
    storage: Storage
    gradient: Tensor | None = None

    def hold(self) -> Tensor:
        """Keep the storage alive once more."""
        self.storage.holders += 1
        return self


@dataclass(eq=False)
class Parameter:
    """A weight; `gradient` lives from the backward pass to `zero_grad`."""

    name: str
    shape: Shape
    gradient: Tensor | None = None


#: Given a gradient of the output, returns those of the inputs and those of the parameters.
Backward = Callable[["Tensor"], "tuple[list[Tensor], list[Tensor]]"]


@dataclass(eq=False)
class Node:
    """One step of the forward pass, and how to go back over it.

    Parameters
    ----------
    name : str
        Name of the backward operator.
    link : (int, int)
        Sequence number and number of the arrow, which join the two sides.
    inputs, output : list of Tensor, Tensor
        What wants a gradient, and what brings one.
    backward : callable
        Launches the work; returns the gradients of `inputs` and of `parameters`.
    saved : list of Tensor
        What the backward pass reads; held until then.
    parameters : list of Parameter
        The weights that this step used.
    """

    name: str
    link: tuple[int, int]
    inputs: list[Tensor]
    output: Tensor
    backward: Backward
    saved: list[Tensor] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)


@dataclass
class Run:
    """What an operator needs: the process, its GPU and the thread that executes now."""

    recorder: Recorder
    gpu: Gpu
    thread: Thread
    tape: list[Node] = field(default_factory=list)

    def allocate(self, shape: Shape, size: int | None = None) -> Tensor:
        """Return a new tensor (`size` in bytes where it is not float32)."""
        address, taken = self.gpu.memory.take(size or bytes_of(shape))
        memory = self.gpu.memory
        self.thread.memory(address, taken, memory.allocated, memory.reserved)
        return Tensor(shape, Storage(address))

    def release(self, *tensors: Tensor) -> None:
        """Let go of tensors; memory that nobody holds any more is freed."""
        for tensor in tensors:
            tensor.storage.holders -= 1
            if tensor.storage.holders == 0:
                memory = self.gpu.memory
                size = memory.give_back(tensor.storage.address)
                address = tensor.storage.address
                self.thread.memory(address, -size, memory.allocated, memory.reserved)

    @contextmanager
    def operators(
        self, *names: str, inputs: Sequence[Input] = (), cost: float = 3
    ) -> Iterator[None]:
        """Open operators inside each other, all with the same inputs."""
        if not names:
            yield
            return
        with (
            self.thread.operator(names[0], inputs, cost=cost),
            self.operators(*names[1:], inputs=inputs, cost=cost),
        ):
            yield

    def remember(self, node: Node) -> Tensor:
        """Put a node on the tape, holding what it saved; return its output."""
        for tensor in node.saved:
            tensor.hold()
        self.tape.append(node)
        return node.output

    def launch(self, *work: Kernel) -> None:
        """Launch kernels, one after another."""
        for kernel in work:
            self.gpu.launch(self.thread, kernel)

    @contextmanager
    def differentiable(
        self, *names: str, inputs: Sequence[Input] = ()
    ) -> Iterator[tuple[int, int]]:
        """Open operators that autograd will go back over; gives (sequence, flow)."""
        sequence = self.recorder.count("sequence")
        flow = self.recorder.count("fwdbwd")
        with self._sequenced(names, inputs, sequence, flow):
            yield sequence, flow

    @contextmanager
    def _sequenced(
        self, names: Sequence[str], inputs: Sequence[Input], sequence: int, flow: int
    ) -> Iterator[None]:
        start = self.thread.now
        with self.thread.operator(names[0], inputs, cost=4, sequence=sequence):
            if len(names) == 1:
                self.recorder.flow("s", "fwdbwd", flow, start, self.thread.lane)
                yield
            else:
                with self._sequenced(names[1:], inputs, sequence, flow):
                    yield

    def play_back(self, loss_gradient: Tensor, on_gradient: Callable[[Parameter], None]) -> None:
        """Go back over the tape; `on_gradient` is called when a parameter has its gradient."""
        self.tape[-1].output.gradient = loss_gradient
        while self.tape:
            self._step_back(self.tape.pop(), on_gradient)

    def _step_back(self, node: Node, on_gradient: Callable[[Parameter], None]) -> None:
        thread = self.thread
        sequence, flow = node.link
        gradient = node.output.gradient
        if gradient is None:
            message = f"{node.name} has no gradient to go on with"
            raise RuntimeError(message)
        with thread.operator(
            f"autograd::engine::evaluate_function: {node.name}",
            cost=4,
            sequence=sequence,
            backward=True,
        ):
            start = thread.now
            with thread.operator(
                node.name, [gradient.shape], cost=4, sequence=sequence, backward=True
            ):
                self.recorder.flow("f", "fwdbwd", flow, start, thread.lane)
                upstream, weights = node.backward(gradient)
            for tensor, part in zip(node.inputs, upstream, strict=True):
                self._add_up(tensor, part)
            self.release(gradient, *node.saved)
        for parameter, part in zip(node.parameters, weights, strict=True):
            self._accumulate(parameter, part, on_gradient)

    def _add_up(self, tensor: Tensor, part: Tensor) -> None:
        """Give a tensor its gradient, or the sum where it had one from another branch."""
        if tensor.gradient is None:
            tensor.gradient = part
            return
        first = tensor.gradient
        with self.thread.operator("aten::add", [first.shape, part.shape, "1"]):
            tensor.gradient = self.allocate(part.shape)
            self.launch(kernels.add(bytes_of(part.shape) // 4))
        self.release(first, part)

    def _accumulate(
        self, parameter: Parameter, part: Tensor, on_gradient: Callable[[Parameter], None]
    ) -> None:
        name = "torch::autograd::AccumulateGrad"
        with (
            self.thread.operator(f"autograd::engine::evaluate_function: {name}", cost=2),
            self.thread.operator(name, [part.shape], cost=3),
        ):
            with self.operators("aten::detach", "detach", inputs=[part.shape], cost=1):
                parameter.gradient = part
            on_gradient(parameter)
