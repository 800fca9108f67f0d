"""What `DistributedDataParallel` does in the backward pass: gradients to buckets, all-reduced."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

from tests.samples.synthetic import kernels
from tests.samples.synthetic.gpu import COMPUTE
from tests.samples.synthetic.kernels import Kernel, bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.samples.synthetic.autograd import Parameter, Run
    from tests.samples.synthetic.gpu import Collective
    from tests.samples.synthetic.recorder import Thread

FIRST_BUCKET, BUCKET = 1024 * 1024, 25 * 1024 * 1024  # bytes, the defaults of PyTorch
LINK_BYTES_PER_US = 9.5e3  # the GPUs talk over PCIe
RANKS = [0, 1]


@dataclass
class Bucket:
    """Parameters whose gradients travel together."""

    parameters: list[Parameter] = field(default_factory=list)
    waiting: int = 0

    @property
    def elements(self) -> int:
        """How many numbers it holds."""
        return sum(prod(parameter.shape) for parameter in self.parameters)


class Reducer:
    """Collects gradients, last layer first, and starts an all-reduce for each full bucket."""

    def __init__(self, run: Run, parameters: Sequence[Parameter]) -> None:
        self.run = run
        self.buckets: list[Bucket] = [Bucket()]
        self.pending: list[Collective] = []
        limit = FIRST_BUCKET
        for parameter in reversed(parameters):
            if self.buckets[-1].elements * 4 >= limit:
                self.buckets.append(Bucket())
                limit = BUCKET
            self.buckets[-1].parameters.append(parameter)
        self._bucket_of = {
            parameter.name: bucket for bucket in self.buckets for parameter in bucket.parameters
        }
        for bucket in self.buckets:
            run.allocate((bucket.elements,))

    def start(self) -> None:
        """Prepare for a backward pass."""
        self.pending = []
        for bucket in self.buckets:
            bucket.waiting = len(bucket.parameters)

    def take(self, parameter: Parameter) -> None:
        """Copy a gradient, divided by the number of ranks, into its bucket."""
        run = self.run
        with (
            run.thread.operator("torch.distributed.ddp.reducer::mul_out", cost=2),
            run.thread.operator("aten::mul", [parameter.shape, (), parameter.shape]),
        ):
            run.launch(kernels.scale(prod(parameter.shape)))
        bucket = self._bucket_of[parameter.name]
        bucket.waiting -= 1
        if bucket.waiting == 0:
            self.pending.append(all_reduce(run, bucket.elements))

    def finish(self) -> None:
        """Wait, on the device, for the all-reduces, and copy the means back to the gradients."""
        run = self.run
        for bucket, collective in zip(self.buckets, self.pending, strict=True):
            wait_for(run, collective)
            for parameter in bucket.parameters:
                name = "torch.distributed.ddp.reducer::copy_bucket_to_grad"
                shape = parameter.shape
                with (
                    run.thread.operator(name, cost=1.5),
                    run.thread.operator("aten::copy_", [shape, shape, "False"], cost=2.5),
                ):
                    run.gpu.copy(run.thread, "DtoD", bytes_of(shape))


def wait_for(run: Run, collective: Collective) -> None:
    """Let the compute stream wait for a collective that has run."""
    run.gpu.call(run.thread, "cudaStreamWaitEvent", 1.3)
    run.gpu.wait_for(COMPUTE, collective.end)


def all_reduce(run: Run, elements: int) -> Collective:
    """Start a sum over all ranks."""
    kernel = _ring("AllReduce_Sum_f32", 24 if elements > 1024 else 1)
    transfer = 11 + 4 * elements / LINK_BYTES_PER_US
    args = _arguments("allreduce", elements, elements)
    with _operators(run.thread, "c10d::allreduce_", "nccl:all_reduce", args, elements):
        return run.gpu.collective(run.thread, kernel, transfer, args)


def all_gather(run: Run, elements: int) -> Collective:
    """Start to give every rank what each has."""
    kernel = _ring("AllGather", 2)
    args = _arguments("_allgather_base", elements, elements * len(RANKS))
    with _operators(run.thread, "c10d::_allgather_base_", "nccl:_all_gather_base", args, elements):
        return run.gpu.collective(run.thread, kernel, 13, args)


def _ring(kind: str, channels: int) -> Kernel:
    name = f"ncclDevKernel_{kind}_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
    return Kernel(name, 0, (channels, 1, 1), (544, 1, 1), 96, 82240)


def _arguments(collective: str, elements: int, received: int) -> dict[str, Any]:
    return {
        "Collective name": collective,
        "In msg nelems": elements,
        "Out msg nelems": received,
        "Group size": len(RANKS),
        "dtype": "Float",
        "In split size": "[]",
        "Out split size": "[]",
        "Process Group Name": "0",
        "Process Group Description": "default_pg",
        "Process Group Ranks": str(RANKS),
    }


@contextmanager
def _operators(
    thread: Thread, operator: str, annotation: str, args: dict[str, Any], elements: int
) -> Iterator[None]:
    """Open the operators and the annotation around a collective, as ProcessGroupNCCL does."""
    with (
        thread.operator(operator, [[(elements,)]], cost=12),
        thread.operator("record_param_comms", [(elements,)], cost=18, extra=args),
        thread.annotation(annotation),
    ):
        yield
