"""Writes small exports of Nsight Systems, with the tables and columns of a schema version."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

#: What stands for the secrets of a profiled process in the tests.
SECRET = "TOKEN=do-not-load"  # noqa: S105 - not a password

_WORK = "start end deviceId contextId streamId correlationId globalPid"
COLUMNS = {
    "CUPTI_ACTIVITY_KIND_RUNTIME": (
        "start end eventClass globalTid correlationId nameId returnValue"
    ),
    "CUPTI_ACTIVITY_KIND_KERNEL": (
        f"{_WORK} demangledName shortName mangledName launchType registersPerThread gridX gridY"
        " gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread"
        " graphNodeId"
    ),
    "CUPTI_ACTIVITY_KIND_MEMCPY": f"{_WORK} bytes copyKind srcKind dstKind virtualAddress",
    "CUPTI_ACTIVITY_KIND_MEMSET": f"{_WORK} bytes value memKind",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": f"{_WORK} syncType",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": f"{_WORK} graphId graphExecId",
    "NVTX_EVENTS": (
        "start end eventType rangeId category text globalTid endGlobalTid textId domainId"
    ),
    "OSRT_API": "start end globalTid nameId",
    "SYSCALL": "start end globalTid nameId",
    "MPI_P2P_EVENTS": "start end globalTid textId commHandle tag remoteRank size requestHandle",
    "MPI_COLLECTIVES_EVENTS": "start end globalTid textId commHandle rootRank size recvSize",
    "MPI_OTHER_EVENTS": "start end globalTid textId",
    "UCP_SUBMIT_EVENTS": "start end globalTid textId packedSize tag",
    "OPENMP_EVENT_KIND_PARALLEL": "start end eventClass globalTid nameId eventKind parallelId",
    "OPENMP_EVENT_KIND_SYNC_REGION": "start end eventClass globalTid nameId eventKind kind",
    "CUPTI_ACTIVITY_KIND_OPENACC_DATA": "start end globalTid nameId srcFile lineNo bytes",
    "CUDA_UM_CPU_PAGE_FAULT_EVENTS": (
        "start globalPid address CpuInstruction SourceFile SourceLine"
    ),
    "CUDA_UM_GPU_PAGE_FAULT_EVENTS": "start end globalPid deviceId address numberOfPageFaults",
    "GPU_METRICS": "timestamp typeId metricId value",
    "TARGET_INFO_GPU_METRICS": "typeId metricId metricName",
    "CUDA_GPU_MEMORY_USAGE_EVENTS": (
        "start globalPid deviceId address bytes memKind memoryOperationType correlationId"
    ),
    "TARGET_INFO_GPU": (
        "vmId id name busLocation totalMemory smCount cuDevice computeMajor computeMinor"
    ),
    "TARGET_INFO_CUDA_DEVICE": "gpuId cudaId pid",
    "TARGET_INFO_SESSION_START_TIME": "utcEpochNs",
    "ThreadNames": "nameId priority globalTid",
    "META_DATA_CAPTURE": "name value",
    "ProcessStreams": "globalPid filenameId contentId",
    "DIAGNOSTIC_EVENT": "timestamp severity text",
}


class Export:
    """An export that is being written; tables are created with their first row."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = sqlite3.connect(path)
        self._connection.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        self._strings: dict[str, int] = {}
        self._made: set[str] = set()

    def string(self, text: str) -> int:
        """Return the number of a text."""
        if text not in self._strings:
            self._strings[text] = len(self._strings)
            self._connection.execute(
                "INSERT INTO StringIds VALUES (?, ?)", (self._strings[text], text)
            )
        return self._strings[text]

    def add(self, table: str, **values: Any) -> None:
        """Add a row; columns that are not given are NULL."""
        columns = COLUMNS[table].split()
        if table not in self._made:
            self._connection.execute(f"CREATE TABLE {table} ({', '.join(map(_quoted, columns))})")
            self._made.add(table)
        unknown = values.keys() - set(columns)
        assert not unknown, unknown
        marks = ", ".join("?" * len(columns))
        row = [values.get(name) for name in columns]
        self._connection.execute(f"INSERT INTO {table} VALUES ({marks})", row)

    def call(
        self, name: str, start: int, end: int, tid: int, correlation: int, **more: Any
    ) -> None:
        """Add a call of the CUDA runtime."""
        more = {"eventClass": 0, "returnValue": 0, **more}
        self.add(
            "CUPTI_ACTIVITY_KIND_RUNTIME",
            start=start,
            end=end,
            globalTid=tid,
            correlationId=correlation,
            nameId=self.string(name),
            **more,
        )

    def kernel(
        self, name: str, start: int, end: int, pid: int, correlation: int, **more: Any
    ) -> None:
        """Add a kernel of two blocks of 64 threads."""
        values = {"deviceId": 0, "contextId": 1, "streamId": 7, "launchType": 1}
        sizes = dict.fromkeys(("gridY", "gridZ", "blockY", "blockZ"), 1)
        self.add(
            "CUPTI_ACTIVITY_KIND_KERNEL",
            start=start,
            end=end,
            globalPid=pid,
            correlationId=correlation,
            demangledName=self.string(name),
            shortName=self.string(name.split("<", maxsplit=1)[0]),
            **{**values, "gridX": 2, "blockX": 64, "staticSharedMemory": 16}
            | {"dynamicSharedMemory": 32, "registersPerThread": 24}
            | sizes
            | more,
        )

    def range(self, label: str, start: int, end: int | None, tid: int, **more: Any) -> None:
        """Add an NVTX range; by default one of a thread, with its text among the strings."""
        values: dict[str, Any] = {"eventType": 59, "textId": self.string(label), "domainId": 0}
        self.add("NVTX_EVENTS", start=start, end=end, globalTid=tid, **values | more)

    def close(self) -> Path:
        """Write everything."""
        self._connection.commit()
        self._connection.close()
        return self.path


def _quoted(name: str) -> str:
    return f'"{name}"'


def tid(pid: int, thread: int) -> int:
    """Return the number of a thread; thread 0 is the process."""
    return (1 << 48) | (pid << 24) | thread


def write_export(path: Path, *, pids: tuple[int, ...] = (100,)) -> Path:
    """Write an export with everything that is read, for some processes.

    Each process runs two steps of two kernels, a copy and a memory set; in the second process
    everything takes twice as long.
    """
    out = Export(path)
    out.add("TARGET_INFO_SESSION_START_TIME", utcEpochNs=1_700_000_000_000_000_000)
    out.add("META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value=SECRET)
    out.add("ProcessStreams", globalPid=1, filenameId=out.string(SECRET), contentId=1)
    out.add("DIAGNOSTIC_EVENT", timestamp=0, severity=1, text="All is well.")
    out.add("DIAGNOSTIC_EVENT", timestamp=0, severity=3, text="Some events were dropped. More.")
    for place, name in enumerate(("Big GPU", "Small GPU")):
        out.add(
            "TARGET_INFO_GPU",
            vmId=1,
            id=place,
            name=name,
            busLocation=f"0000:0{place}:00.0",
            totalMemory=1 << (33 - place),
            smCount=4 - place,
            cuDevice=place,
            computeMajor=9,
            computeMinor=0,
        )
    for rank, pid in enumerate(pids):
        out.add("TARGET_INFO_CUDA_DEVICE", gpuId=1 - rank % 2, cudaId=0, pid=pid)
        _write_process(out, pid, rank, scale=rank + 1)
    for at, value in enumerate((10, 90)):
        out.add("GPU_METRICS", timestamp=at * 500, typeId=256, metricId=3, value=value)
    out.add("TARGET_INFO_GPU_METRICS", typeId=256, metricId=3, metricName="SMs Active [%]")
    return out.close()


def _write_process(out: Export, pid: int, rank: int, scale: int) -> None:
    main, other, process = tid(pid, pid), tid(pid, pid + 1), tid(pid, 0)
    for thread, name in ((main, f"MPI Rank {rank}"), (other, "autograd")):
        out.add("ThreadNames", nameId=out.string(name), priority=10, globalTid=thread)
    out.add("NVTX_EVENTS", start=0, eventType=75, text="NCCL", globalTid=main, domainId=1)
    for step in range(2):
        t = 1000 * step * scale
        out.range(f"step {step}", t, t + 900 * scale, main)
        out.range(
            f"aten::mm, seq = {step}, op_id = 5, sizes = [[2, 3], [3, 4]]",
            t + 10 * scale,
            t + 200 * scale,
            main,
        )
        first = 10 * step
        out.call("cudaLaunchKernel_v7000", t + 20 * scale, t + 40 * scale, main, first + 1)
        out.kernel("gemm<float>(int)", t + 50 * scale, t + 150 * scale, process, first + 1)
        out.range("all_reduce", t + 300 * scale, t + 400 * scale, main, domainId=1)
        out.call("cudaMemcpyAsync_v3020", t + 410 * scale, t + 420 * scale, main, first + 2)
        out.add(
            "CUPTI_ACTIVITY_KIND_MEMCPY",
            start=t + 430 * scale,
            end=t + 440 * scale,
            deviceId=0,
            contextId=1,
            streamId=13,
            correlationId=first + 2,
            globalPid=process,
            bytes=4096,
            copyKind=1,
            srcKind=0,
            dstKind=2,
        )
        out.range(f"MmBackward0, seq = {step}, op_id = 9", t + 450 * scale, t + 600 * scale, other)
        out.call(
            "cuLaunchKernelEx", t + 460 * scale, t + 470 * scale, other, first + 3, eventClass=1
        )
        out.kernel("dgrad", t + 500 * scale, t + 560 * scale, process, first + 3, gridX=8)
        out.call("cudaMemsetAsync_v3020", t + 610 * scale, t + 620 * scale, main, first + 4)
        out.add(
            "CUPTI_ACTIVITY_KIND_MEMSET",
            start=t + 630 * scale,
            end=t + 640 * scale,
            deviceId=0,
            contextId=1,
            streamId=7,
            correlationId=first + 4,
            globalPid=process,
            bytes=64,
            memKind=2,
        )
        out.call("cudaStreamSynchronize_v3020", t + 650 * scale, t + 700 * scale, main, first + 5)
        out.add(
            "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
            start=t + 651 * scale,
            end=t + 699 * scale,
            deviceId=0,
            contextId=1,
            streamId=4294967295,
            correlationId=first + 5,
            globalPid=process,
            syncType=4,
        )
        out.call("cudaGraphLaunch_v10000", t + 710 * scale, t + 720 * scale, main, first + 6)
        out.add(
            "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
            start=t + 730 * scale,
            end=t + 790 * scale,
            deviceId=0,
            contextId=1,
            streamId=7,
            correlationId=first + 6,
            globalPid=process,
            graphId=12,
            graphExecId=13,
        )
        out.call("cudaMalloc_v3020", t + 800 * scale, t + 810 * scale, main, first + 7)
        for operation, when in ((0, 805), (1, 815)):
            out.add(
                "CUDA_GPU_MEMORY_USAGE_EVENTS",
                start=t + when * scale,
                globalPid=process,
                deviceId=0,
                address=0x700,
                bytes=1024,
                memKind=2,
                memoryOperationType=operation,
                correlationId=first + 7,
            )
        out.add(
            "OSRT_API",
            start=t + 820 * scale,
            end=t + 880 * scale,
            globalTid=main,
            nameId=out.string("poll"),
        )
    # These two overlap.
    out.range("request 1", 100, 1000, main, eventType=60)
    out.range("request 2", 500, 1500, main, eventType=60)
    out.range("here", 700, None, main, eventType=34)
