"""Data-parallel training on two NPUs: the steps of a rank, and where the ranks meet."""

from __future__ import annotations

from collections.abc import Generator

from .machine import AUTOGRAD, COMPUTE, LINK, MAIN, TRANSFER, Machine
from .network import BATCH, Kernel, backward, forward, gradient_bytes, update
from .records import Arrow, Collective, HostSlice, OperatorRow, Recording, Step

START = 1_772_442_000_305_418_227
FIRST_STEP, STEPS = 12, 3
#: How much slower than the first each rank's NPU is.
SLOWNESS = (1.0, 1.12)
BUCKETS = 2
_FILE = "train_npu.py"

#: Gives (bytes, when this rank is ready) and gets when the last one was.
Meeting = Generator[tuple[int, int], int, None]


def train() -> list[Recording]:
    """Run all ranks, each until it meets the others, and return what they recorded."""
    machines = [Machine(rank, START + 41_000 * rank, slow) for rank, slow in enumerate(SLOWNESS)]
    ranks = [_steps(machine) for machine in machines]
    asked: list[tuple[int, int] | None] = [next(rank) for rank in ranks]
    while any(asked):
        last = max(one[1] for one in asked if one)
        asked = [_go_on(rank, last) for rank in ranks]
    return [machine.recording for machine in machines]


def _go_on(rank: Meeting, last: int) -> tuple[int, int] | None:
    """Let a rank run on to where it meets the others again; None when it has ended."""
    try:
        return rank.send(last)
    except StopIteration:
        return None


def _steps(machine: Machine) -> Meeting:
    for number in range(FIRST_STEP, FIRST_STEP + STEPS):
        machine.step = number
        start = machine.now
        machine.stack = [f"{_FILE}(61): main", f"{_FILE}(38): train"]
        _load(machine)
        _forward(machine)
        yield from _backward(machine, number)
        _update(machine)
        _read_loss(machine)
        machine.frame(f"{_FILE}(38): train", start)
        end = machine.take(5)
        slice_ = HostSlice(MAIN, "cpu_op", f"ProfilerStep#{number}", start, end)
        machine.recording.slices.append(slice_)
        machine.recording.steps.append(Step(number, start, end))


def _load(machine: Machine) -> None:
    """Wait for a batch and copy it to the NPU."""
    start = machine.now
    machine.take(380)
    name = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
    machine.recording.slices.append(HostSlice(MAIN, "cpu_op", name, start, machine.now))
    _add_row(machine, name, start, 0)
    images = [BATCH, 3, 64, 64]
    _copy(machine, "aten::copy_", images, 4 * BATCH * 3 * 64 * 64)


def _copy(machine: Machine, name: str, shape: list[int], size: int) -> None:
    start = machine.now
    machine.take(6)
    kernel = Kernel("MEMCPY_ASYNC", "", 0.0, [shape], [shape])
    task = machine.launch(
        "MEMCPY_ASYNC",
        kernel,
        start,
        MAIN,
        duration=round(size / 12e9 * 1e9) + 1_800,
        task_type="PCIE_DMA_SQE",
    )
    machine.take(4)
    args = {"Sequence number": -1, "Fwd thread id": 0, "Input Dims": ",".join(map(str, shape))}
    machine.recording.slices.append(HostSlice(MAIN, "cpu_op", name, start, machine.now, dict(args)))
    _add_row(machine, name, start, task.duration, [shape])


def _forward(machine: Machine) -> None:
    begun = machine.now
    machine.stack.append(f"{_FILE}(24): forward")
    for number, call in enumerate(forward()):
        start = machine.now
        machine.take(3)
        machine.run(call)
        if call.module:
            machine.take(2)
            machine.frame(call.module, start, 10 + number)
    machine.frame("nn.Module: ConvNet_0", begun, 1)
    machine.stack.pop()


def _backward(machine: Machine, number: int) -> Meeting:
    calls = backward()
    size, sent = gradient_bytes() // BUCKETS, 0
    arrows = {
        slice_.args.get("Sequence number"): slice_.start
        for slice_ in machine.recording.slices
        if slice_.lane == MAIN and slice_.category == "cpu_op"
    }
    machine.take(20)
    for place, call in enumerate(calls, 1):
        start = machine.now
        machine.stack = []
        machine.run(call, AUTOGRAD)
        sequence = call.inner[0].sequence
        arrow = f"{sequence + 1000 * number}"
        machine.recording.arrows.append(
            Arrow("fwdbwd", "fwdbwd", int(arrow), MAIN, arrows[sequence], AUTOGRAD, start)
        )
        if place * BUCKETS >= len(calls) * (sent + 1):
            yield from _reduce(machine, number, sent, size)
            sent += 1
    machine.take(10)
    machine.release_all()


def _reduce(machine: Machine, number: int, bucket: int, size: int) -> Meeting:
    """All-reduce a bucket: it begins when its gradients are there, and ends with the last rank."""
    start = machine.now
    machine.take(6)
    name = f"hcom_allReduce__586_{(number - FIRST_STEP) * BUCKETS + bucket}_1"
    ready = max(*machine.stream_free.values(), machine.launchable + 20_000)
    last = yield size, ready
    transfer = round(size / LINK * 1e9) + 9_000
    kernel = Kernel("hcom_allReduce_", "HCCL", 0.0, [[size // 4]], [[size // 4]])
    task = machine.launch(
        name,
        kernel,
        start,
        AUTOGRAD,
        duration=last + transfer - ready,
        stream=TRANSFER,
        ready=ready,
    )
    machine.take(3)
    for inner, begun in (("HcclAllreduce", start + 2_000), ("c10d::allreduce_", start)):
        args = {"Sequence number": -1, "Fwd thread id": 0}
        end = machine.now - (500 if inner == "HcclAllreduce" else 0)
        machine.recording.slices.append(
            HostSlice(AUTOGRAD, "cpu_op", inner, begun, end, dict(args))
        )
    outer, own = start, start + 2_000
    _add_row(
        machine, "c10d::allreduce_", outer, 0, total=task.duration, inner=machine.now - 500 - own
    )
    _add_row(machine, "HcclAllreduce", own, task.duration, end=machine.now - 500)
    end = task.start + task.duration
    machine.recording.collectives.append(Collective(name, number, task.start, end, transfer, size))


def _update(machine: Machine) -> None:
    machine.stack = [f"{_FILE}(61): main", f"{_FILE}(44): train"]
    start = machine.now
    machine.take(15)
    # The optimizer needs the reduced gradients.
    machine.stream_free[COMPUTE] = max(machine.stream_free.values())
    for call in update():
        machine.run(call)
    name = "Optimizer.step#SGD.step"
    machine.recording.slices.append(HostSlice(MAIN, "cpu_op", name, start, machine.take(4)))
    inside = sum(
        r.end - r.start
        for r in machine.recording.operators
        if r.start >= start and r.name.startswith("aten::_foreach")
    )
    total = sum(
        r.device_total
        for r in machine.recording.operators
        if r.start >= start and r.name.startswith("aten::_foreach")
    )
    _add_row(machine, name, start, 0, total=total, inner=inside, core=total)


def _read_loss(machine: Machine) -> None:
    """Read the loss, which waits for the NPU."""
    _copy(machine, "aten::_local_scalar_dense", [], 4)
    machine.wait()


def _add_row(
    machine: Machine,
    name: str,
    start: int,
    device: int,
    shapes: list[list[int]] | None = None,
    *,
    end: int = 0,
    total: int = 0,
    inner: int = 0,
    core: int = 0,
) -> None:
    """Add an operator that `Machine.run` did not run."""
    end = end or machine.now
    machine.recording.operators.append(
        OperatorRow(
            name,
            start,
            end,
            shapes or [],
            list(reversed(machine.stack)),
            end - start - inner,
            device,
            total or device,
            0,
            core,
        )
    )
