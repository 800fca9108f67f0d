"""Simulate the training of a small network on one GPU, and write it as `nsys export` would.

The program trains four linear layers under `torch.autograd.profiler.emit_nvtx`, with a range
``step N`` around every step. The host launches, the GPU follows on one stream; the host waits for
it at the end of each step. Times come from operations and bytes against rates of the order of an
A100's, with a variation whose seed is fixed.
"""

from __future__ import annotations

import random
import sqlite3
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

PID: Final = 4242
MAIN, AUTOGRAD = 4242, 4260
STEPS: Final = 5
ROWS: Final = 4096
LAYERS: Final = ((1024, 4096), (4096, 4096), (4096, 4096), (4096, 10))
EPOCH_NS: Final = 1_772_442_000_000_000_000
DEVICE: Final = "Synthetic A100-SXM4-80GB"
#: Operations and bytes per nanosecond that kernels reach.
_RATE, _BANDWIDTH = 110_000.0, 1_300.0
_PUSH_POP: Final = 59

_WORK = "start end deviceId contextId streamId correlationId globalPid"
TABLES: Final = {
    "META_DATA_EXPORT": "name value",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs utcTime localTime",
    "TARGET_INFO_GPU": (
        "vmId id name busLocation totalMemory smCount cuDevice computeMajor computeMinor"
        " maxWarpsPerSm maxRegistersPerSm maxShmemPerSm threadsPerWarp maxBlocksPerSm"
    ),
    "TARGET_INFO_CUDA_DEVICE": "gpuId cudaId pid",
    "ThreadNames": "nameId priority globalTid",
    "NVTX_EVENTS": "start end eventType globalTid textId domainId",
    "CUPTI_ACTIVITY_KIND_RUNTIME": (
        "start end eventClass globalTid correlationId nameId returnValue"
    ),
    "CUPTI_ACTIVITY_KIND_KERNEL": (
        f"{_WORK} demangledName shortName launchType registersPerThread gridX gridY gridZ blockX"
        " blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread"
    ),
    "CUPTI_ACTIVITY_KIND_MEMCPY": f"{_WORK} bytes copyKind srcKind dstKind",
    "CUPTI_ACTIVITY_KIND_MEMSET": f"{_WORK} bytes value memKind",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": f"{_WORK} syncType",
    "CUDA_GPU_MEMORY_USAGE_EVENTS": (
        "start globalPid deviceId contextId address bytes memKind memoryOperationType correlationId"
    ),
    "OSRT_API": "start end eventClass globalTid nameId returnValue nestingLevel",
    "TARGET_INFO_GPU_METRICS": "typeId metricId metricName",
    "GPU_METRICS": "timestamp typeId metricId value",
}

_GEMM = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_{}"
_ELEMENT = (
    "void at::native::vectorized_elementwise_kernel<4, {}, at::detail::Array<char *, 3>>"
    "(int, {}, at::detail::Array<char *, 3>)"
)


class _Export:
    """Tables of an export, with a clock for each thread and one for the stream."""

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, object]]] = {name: [] for name in TABLES}
        self.strings: dict[str, int] = {}
        self.clock = {MAIN: 2_000_000, AUTOGRAD: 2_000_000}
        self.stream = 0
        self.correlation = 0
        self.sequence = 0
        self.busy: list[tuple[int, int]] = []
        self._random = random.Random(42)  # noqa: S311 - no secret

    def string(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def add(self, table: str, **values: object) -> None:
        self.rows[table].append(values)

    def varied(self, time_ns: float) -> int:
        return round(time_ns * self._random.uniform(0.93, 1.08))

    def call(self, thread: int, name: str, time_ns: float, *, end: int = 0) -> tuple[int, int]:
        """Add a call of the CUDA runtime, and return its start and end."""
        start = self.clock[thread]
        end = max(end, start + self.varied(time_ns))
        self.clock[thread] = end + self.varied(900)
        self.correlation += 1
        self.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=start, end=end, eventClass=0,
                 globalTid=_number(thread), correlationId=self.correlation,
                 nameId=self.string(name), returnValue=0)  # fmt: skip
        return start, end

    def work(self, table: str, thread: int, call: str, time_ns: float, **values: object) -> None:
        """Launch work and run it after what is on the stream."""
        launched, _ = self.call(thread, call, 4_200)
        start = max(launched + self.varied(5_500), self.stream + 600)
        end = start + self.varied(time_ns)
        self.stream = end
        self.busy.append((start, end))
        self.add(table, start=start, end=end, deviceId=0, contextId=1, streamId=7,
                 correlationId=self.correlation, globalPid=_number(0), **values)  # fmt: skip

    def kernel(self, thread: int, name: str, flops: float, moved: float, blocks: int) -> None:
        multiplies = "gemm" in name
        time_ns = max(flops / _RATE if multiplies else 0, moved / _BANDWIDTH, 2_100)
        short = name.removeprefix("void ").split("<")[0].rsplit("::", 1)[-1]
        self.work("CUPTI_ACTIVITY_KIND_KERNEL", thread, "cudaLaunchKernel_v7000", time_ns,
                  demangledName=self.string(name), shortName=self.string(short), launchType=1,
                  registersPerThread=230 if multiplies else 32, gridX=blocks, gridY=1, gridZ=1,
                  blockX=256 if multiplies else 128, blockY=1, blockZ=1, staticSharedMemory=0,
                  dynamicSharedMemory=81_920 if multiplies else 0,
                  localMemoryPerThread=0)  # fmt: skip

    def range(self, thread: int, text: str, start: int) -> None:
        self.clock[thread] += self.varied(1_500)
        self.add("NVTX_EVENTS", start=start, end=self.clock[thread], eventType=_PUSH_POP,
                 globalTid=_number(thread), textId=self.string(text), domainId=0)  # fmt: skip
        self.clock[thread] += self.varied(800)


def _number(thread: int) -> int:
    """Return process and thread in one number; thread 0 is the process."""
    return (1 << 48) | (PID << 24) | thread


def _shapes(*shapes: tuple[int, ...]) -> str:
    return str([list(shape) for shape in shapes])


def _operator(name: str, shapes: str, *, sequence: int = -1) -> str:
    """Return the text that `emit_nvtx` gives to an operator."""
    seq = f", seq = {sequence}" if sequence >= 0 else ""
    return f"{name}{seq}, op_id = 0, sizes = {shapes}"


def _elements(function: str) -> str:
    return _ELEMENT.format(function, function)


def _forward(out: _Export) -> list[tuple[int, int, int]]:
    """Run the forward pass; return the sequence number and sizes of each product."""
    made: list[tuple[int, int, int]] = []
    for at, (width, features) in enumerate(LAYERS):
        start, inner = out.clock[MAIN], out.clock[MAIN] + 700
        out.clock[MAIN] += 1_600
        shapes = _shapes((features,), (ROWS, width), (width, features), (), ())
        moved = 2.0 * (ROWS * width + width * features + ROWS * features)
        out.kernel(MAIN, _GEMM.format("tn"), 2.0 * ROWS * width * features, moved,
                   -(-ROWS // 128) * -(-features // 128))  # fmt: skip
        text = _operator("aten::addmm", shapes, sequence=out.sequence)
        out.range(MAIN, text, inner)
        text = _shapes((ROWS, width), (features, width), (features,))
        out.range(MAIN, _operator("aten::linear", text), start)
        made.append((out.sequence, width, features))
        out.sequence += 1
        if at < len(LAYERS) - 1:
            start = out.clock[MAIN]
            out.kernel(MAIN, _elements("at::native::relu_kernel"), 0, 4.0 * ROWS * features, 2048)
            text = _operator("aten::relu", _shapes((ROWS, features)),
                             sequence=out.sequence)  # fmt: skip
            out.range(MAIN, text, start)
            out.sequence += 1
    return made


def _backward(out: _Export, made: list[tuple[int, int, int]]) -> None:
    out.clock[AUTOGRAD] = out.clock[MAIN] + 4_000
    for at, (sequence, width, features) in reversed(list(enumerate(made))):
        if at < len(made) - 1:
            node = out.clock[AUTOGRAD]
            out.clock[AUTOGRAD] += 1_200
            start = out.clock[AUTOGRAD]
            out.kernel(AUTOGRAD, _elements("at::native::threshold_kernel"), 0,
                       6.0 * ROWS * features, 2048)  # fmt: skip
            shapes = _shapes((ROWS, features), (ROWS, features), ())
            out.range(AUTOGRAD, _operator("aten::threshold_backward", shapes), start)
            text = f"ReluBackward0, seq = {sequence + 1}, op_id = 0, sizes = "
            out.range(AUTOGRAD, text + _shapes((ROWS, features)), node)
        node = out.clock[AUTOGRAD]
        out.clock[AUTOGRAD] += 1_500
        moved = 2.0 * (ROWS * width + width * features + ROWS * features)
        products = [((ROWS, features), (features, width))] if at else []
        products.append(((features, ROWS), (ROWS, width)))
        for left, right in products:
            start = out.clock[AUTOGRAD]
            layout = "nn" if left[0] == ROWS else "nt"
            out.kernel(AUTOGRAD, _GEMM.format(layout), 2.0 * ROWS * width * features, moved,
                       -(-left[0] // 128) * -(-right[1] // 128))  # fmt: skip
            out.range(AUTOGRAD, _operator("aten::mm", _shapes(left, right)), start)
        text = f"AddmmBackward0, seq = {sequence}, op_id = 0, sizes = "
        out.range(AUTOGRAD, text + _shapes((ROWS, features)), node)
    out.clock[MAIN] = max(out.clock[MAIN], out.clock[AUTOGRAD] + 3_000)


def _step(out: _Export, number: int) -> None:
    start = out.clock[MAIN]
    waited = out.varied(380_000 if number == 3 else 60_000)
    out.add("OSRT_API", start=start + 500, end=start + waited, eventClass=27,
            globalTid=_number(MAIN), nameId=out.string("poll"), returnValue=1,
            nestingLevel=0)  # fmt: skip
    out.clock[MAIN] = start + waited + 2_000
    images = ROWS * LAYERS[0][0] * 2
    for amount in (images, ROWS * 8):
        out.work("CUPTI_ACTIVITY_KIND_MEMCPY", MAIN, "cudaMemcpyAsync_v3020", amount / 22,
                 bytes=amount, copyKind=1, srcKind=0, dstKind=2)  # fmt: skip
    made = _forward(out)
    out.work("CUPTI_ACTIVITY_KIND_MEMSET", MAIN, "cudaMemsetAsync_v3020", 1_500, bytes=40, value=0,
             memKind=2)  # fmt: skip
    _backward(out, made)
    begun = out.clock[MAIN]
    out.clock[MAIN] += 1_000
    for width, features in LAYERS:
        inner = out.clock[MAIN]
        out.kernel(MAIN, _elements("at::native::CUDAFunctorOnSelf_add<c10::BFloat16>"), 0,
                   6.0 * width * features, 1024)  # fmt: skip
        shapes = _shapes((features, width), (features, width), ())
        out.range(MAIN, _operator("aten::add_", shapes), inner)
    out.range(MAIN, "Optimizer.step#SGD.step", begun)
    called, ended = out.call(MAIN, "cudaStreamSynchronize_v3020", 3_000, end=out.stream + 2_500)
    out.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", start=called + 400, end=ended - 400, deviceId=0,
            contextId=1, streamId=7, correlationId=out.correlation, globalPid=_number(0),
            syncType=3)  # fmt: skip
    out.range(MAIN, f"step {number}", start)


def _describe(out: _Export) -> None:
    for name, value in (
        ("EXPORT_PRODUCT_VERSION", "2026.2.1"),
        ("EXPORT_SCHEMA_VERSION", "3.25.0"),
    ):
        out.add("META_DATA_EXPORT", name=name, value=value)
    out.add("TARGET_INFO_SESSION_START_TIME", utcEpochNs=EPOCH_NS, utcTime="", localTime="")
    out.add("TARGET_INFO_GPU", vmId=1, id=0, name=DEVICE, busLocation="0000:01:00.0",
            totalMemory=80 << 30, smCount=108, cuDevice=0, computeMajor=8, computeMinor=0,
            maxWarpsPerSm=64, maxRegistersPerSm=65_536, maxShmemPerSm=167_936, threadsPerWarp=32,
            maxBlocksPerSm=32)  # fmt: skip
    out.add("TARGET_INFO_CUDA_DEVICE", gpuId=0, cudaId=0, pid=PID)
    for thread, name in ((MAIN, "python"), (AUTOGRAD, "pt_autograd_0")):
        out.add("ThreadNames", nameId=out.string(name), priority=10, globalTid=_number(thread))
    out.add("TARGET_INFO_GPU_METRICS", typeId=256, metricId=3, metricName="SMs Active [%]")


def _allocate(out: _Export) -> None:
    """Allocate weights and activations before the first step."""
    address = 0x7F20_0000_0000
    for width, features in LAYERS:
        for amount in (2 * 2 * width * features, 2 * 2 * ROWS * features):
            start, _ = out.call(MAIN, "cudaMalloc_v3020", 90_000)
            out.add("CUDA_GPU_MEMORY_USAGE_EVENTS", start=start + 50, globalPid=_number(0),
                    deviceId=0, contextId=1, address=address, bytes=amount, memKind=2,
                    memoryOperationType=0, correlationId=out.correlation)  # fmt: skip
            address += amount


def _measure(out: _Export) -> None:
    """Sample how busy the GPU is, every 100 µs."""
    every = 100_000
    for at in range(0, out.stream + every, every):
        covered = sum(max(0, min(end, at + every) - max(start, at)) for start, end in out.busy)
        out.add("GPU_METRICS", timestamp=at + every, typeId=256, metricId=3,
                value=round(100 * covered / every))  # fmt: skip


def write_export(path: Path) -> Path:
    """Write the export; it has the same rows each time."""
    out = _Export()
    _describe(out)
    _allocate(out)
    for number in range(STEPS):
        _step(out, number)
    _measure(out)
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA page_size = 1024")
    connection.execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT)")
    connection.executemany(
        "INSERT INTO StringIds VALUES (?, ?)", [(one, text) for text, one in out.strings.items()]
    )
    for table, columns in TABLES.items():
        names = columns.split()
        quoted = ", ".join(f'"{name}"' for name in names)
        connection.execute(f"CREATE TABLE {table} ({quoted})")
        rows = [[row.get(name) for name in names] for row in out.rows[table]]
        marks = ", ".join("?" * len(names))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - constants
    connection.commit()
    connection.execute("VACUUM")
    connection.close()
    return path
