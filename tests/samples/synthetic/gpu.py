"""One GPU: streams that run one thing at a time, what is launched on them, and waiting for them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from tests.samples.synthetic.allocator import Allocator

if TYPE_CHECKING:
    from tests.samples.synthetic.kernels import Kernel
    from tests.samples.synthetic.recorder import Annotation, Recorder, Thread

COMPUTE, COMMUNICATION = 7, 20  # stream numbers, as CUDA counts them

#: The callback ids that CUPTI gives to the calls used here.
CALLS = {
    "cudaMemcpyAsync": 41,
    "cudaMemsetAsync": 51,
    "cudaStreamSynchronize": 131,
    "cudaEventRecord": 135,
    "cudaStreamWaitEvent": 147,
    "cudaDeviceSynchronize": 165,
    "cudaLaunchKernel": 211,
    "cudaLaunchKernelExC": 430,
}

PROPERTIES = {
    "name": "Synthetic A100-SXM4-80GB",
    "totalGlobalMem": 84_974_239_744,
    "computeMajor": 8,
    "computeMinor": 0,
    "maxThreadsPerBlock": 1024,
    "maxThreadsPerMultiprocessor": 2048,
    "regsPerBlock": 65536,
    "warpSize": 32,
    "sharedMemPerBlock": 49152,
    "numSms": 108,
    "regsPerMultiprocessor": 65536,
    "sharedMemPerBlockOptin": 166912,
    "sharedMemPerMultiprocessor": 167936,
}

CLEAR_BYTES_PER_US = 1.45e6
COPY_BYTES_PER_US = {"HtoD": 23.5e3, "DtoH": 21e3, "DtoD": 0.62e6}


@dataclass(frozen=True)
class Call:
    """A call of the runtime: when, its correlation, and the operator that made it."""

    start: int
    correlation: int
    operator: int | None


@dataclass
class Work:
    """Something for a stream to do, as the profiler will describe it."""

    category: str
    name: str
    stream: int
    args: dict[str, Any]


@dataclass
class Collective:
    """A collective of one rank: launched, not run before it is known when the last rank comes."""

    gpu: Gpu
    work: Work
    transfer_us: float
    ready: int
    annotations: list[Annotation]
    end: int = 0

    def start(self) -> int:
        """Return when this rank is in it: launched, its stream free."""
        return max(self.ready, self.gpu.free_at(COMMUNICATION) + 900)

    def run(self, start: int, end: int) -> None:
        """Put it on its stream."""
        self.end = end
        self.gpu.occupy(self.work, start, end, self.annotations)


class Gpu:
    """The device of one rank.

    Parameters
    ----------
    recorder : Recorder
        Where events go.
    slowdown : float
        How much longer its kernels take than those of a GPU at full clock.
    """

    def __init__(self, recorder: Recorder, slowdown: float) -> None:
        self.recorder = recorder
        self.slowdown = slowdown
        self.memory = Allocator(0x7F2A_0000_0000)
        self._free: dict[int, int] = {}

    def free_at(self, stream: int) -> int:
        """Return when a stream has done all it was given."""
        return self._free.get(stream, 0)

    def wait_for(self, stream: int, moment: int) -> None:
        """Let a stream start nothing before a moment."""
        self._free[stream] = max(self.free_at(stream), moment)

    def occupy(self, work: Work, start: int, end: int, annotations: list[Annotation]) -> None:
        """Put a piece of work on its stream, and under the annotations that launched it."""
        recorder, stream = self.recorder, work.stream
        event = {"ph": "X", "cat": work.category, "name": work.name, "pid": recorder.device}
        event |= {"tid": stream, "ts": start, "dur": end - start, "args": work.args}
        recorder.add(event)
        lane = recorder.device, stream
        recorder.flow("f", "ac2g", work.args["correlation"], start, lane)
        for annotation in annotations:
            annotation.cover(stream, start, end)
        self._free[stream] = end

    def call(self, thread: Thread, name: str, cost: float) -> Call:
        """Call the runtime."""
        start, number = thread.now, self.recorder.count("correlation")
        operator = thread.operators[-1] if thread.operators else None
        args = {} if operator is None else {"External id": operator}
        args |= {"cbid": CALLS[name], "correlation": number}
        with thread.slice("cuda_runtime", name, args):
            thread.spend(cost, 0.2)
        if "Launch" in name or name.endswith("Async"):
            self.recorder.flow("s", "ac2g", number, start, thread.lane)
        return Call(start, number, operator)

    def launch(self, thread: Thread, kernel: Kernel) -> None:
        """Launch a kernel on the compute stream."""
        call = self.call(thread, "cudaLaunchKernel", 4.6)
        work = self._kernel(kernel, COMPUTE, call)
        duration = self.recorder.vary(kernel.microseconds * self.slowdown, 0.015)
        self._enqueue(thread, call, work, duration)

    def copy(self, thread: Thread, direction: str, size: int) -> None:
        """Copy memory; `direction` is HtoD (from pinned memory), DtoH (to pageable) or DtoD."""
        call = self.call(thread, "cudaMemcpyAsync", 5.8)
        sides = {"HtoD": "Pinned -> Device", "DtoH": "Device -> Pageable"}
        name = f"Memcpy {direction} ({sides.get(direction, 'Device -> Device')})"
        duration = self.recorder.vary(1.1 + size / COPY_BYTES_PER_US[direction], 0.01)
        self._enqueue(thread, call, self._transfer("gpu_memcpy", name, size, call), duration)

    def clear(self, thread: Thread, size: int) -> None:
        """Set memory to zero."""
        call = self.call(thread, "cudaMemsetAsync", 4.9)
        duration = self.recorder.vary(1.0 + size / CLEAR_BYTES_PER_US, 0.01)
        work = self._transfer("gpu_memset", "Memset (Device)", size, call)
        self._enqueue(thread, call, work, duration)

    def collective(
        self, thread: Thread, kernel: Kernel, transfer_us: float, args: dict[str, Any]
    ) -> Collective:
        """Launch a collective on its own stream, behind what the compute stream has so far."""
        self.call(thread, "cudaEventRecord", 1.6)
        self.call(thread, "cudaStreamWaitEvent", 1.3)
        call = self.call(thread, "cudaLaunchKernelExC", 9.0)
        work = self._kernel(kernel, COMMUNICATION, call)
        work.args |= {**args, "est. achieved occupancy %": 0}
        launched = call.start + round(1000 * self.recorder.vary(5.0))
        ready = max(launched, self.free_at(COMPUTE))
        self.call(thread, "cudaEventRecord", 1.6)
        return Collective(self, work, transfer_us, ready, list(thread.annotations))

    def synchronize(self, thread: Thread, call: str = "cudaStreamSynchronize") -> None:
        """Block a thread until the compute stream (or every stream) has nothing left to do."""
        streams = [COMPUTE] if call == "cudaStreamSynchronize" else list(self._free)
        args = {"cbid": CALLS[call], "correlation": self.recorder.count("correlation")}
        if thread.operators:
            args["External id"] = thread.operators[-1]
        with thread.slice("cuda_runtime", call, args):
            thread.spend(2.0)
            thread.wait_until(max((self.free_at(stream) for stream in streams), default=0))
            thread.spend(4.0)

    def _kernel(self, kernel: Kernel, stream: int, call: Call) -> Work:
        warps = kernel.blocks_per_sm * prod(kernel.block) / 32
        args = self._common(call, stream) | {
            "queued": 0,
            "registers per thread": kernel.registers,
            "shared memory": kernel.shared_memory,
            "blocks per SM": round(kernel.blocks_per_sm, 6),
            "warps per SM": round(warps, 6),
            "grid": list(kernel.grid),
            "block": list(kernel.block),
            "est. achieved occupancy %": kernel.occupancy_pct,
        }
        return Work("kernel", kernel.name, stream, args)

    def _transfer(self, category: str, name: str, size: int, call: Call) -> Work:
        return Work(category, name, COMPUTE, self._common(call, COMPUTE) | {"bytes": size})

    def _common(self, call: Call, stream: int) -> dict[str, Any]:
        args = {"External id": call.operator, "device": self.recorder.device, "context": 1}
        return args | {"stream": stream, "correlation": call.correlation}

    def _enqueue(self, thread: Thread, call: Call, work: Work, microseconds: float) -> None:
        """Run work behind its launch and behind what its stream still has to do."""
        latency = round(1000 * self.recorder.vary(4.2, 0.08))
        gap = round(1000 * self.recorder.vary(1.0, 0.2))
        start = max(call.start + latency, self.free_at(work.stream) + gap)
        duration = round(1000 * microseconds)
        if "bytes" in work.args:
            work.args["memory bandwidth (GB/s)"] = round(work.args["bytes"] / duration, 6)
        self.occupy(work, start, start + duration, thread.annotations)
