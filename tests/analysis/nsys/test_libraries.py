"""Reports on libraries and unified memory, of exports that the test writes."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.sources.nsight.exports import Export, tid

if TYPE_CHECKING:
    from pathlib import Path

PID = 100
MAIN, PROCESS = tid(PID, PID), tid(PID, 0)
#: Start, end, name, and for collectives sent and received bytes.
SENDS = [(0, 40, "MPI_Send", 1000), (50, 70, "MPI_Send", 3000), (80, 90, "MPI_Recv", 500)]
COLLECTIVES = [(100, 400, "MPI_Allreduce", 64, 64), (500, 600, "MPI_Bcast", None, 32)]
ADDRESS = 0x7F0000000000


def write_libraries(path: Path) -> Path:
    """Write an export of a process with calls of many libraries, in two steps of 1 µs."""
    out = Export(path)
    for step in (0, 1):
        out.range(f"step {step}", 1000 * step, 1000 * step + 1000, MAIN)
    for start, end, name, size in SENDS:
        out.add("MPI_P2P_EVENTS", start=start, end=end, globalTid=MAIN, textId=out.string(name),
                tag=7, remoteRank=1, size=size)  # fmt: skip
    for start, end, name, sent, received in COLLECTIVES:
        out.add("MPI_COLLECTIVES_EVENTS", start=start, end=end, globalTid=MAIN,
                textId=out.string(name), rootRank=0, size=sent, recvSize=received)  # fmt: skip
    out.add("MPI_OTHER_EVENTS", start=700, end=710, globalTid=MAIN, textId=out.string("MPI_Init"))
    out.add("UCP_SUBMIT_EVENTS", start=720, end=725, globalTid=MAIN,
            textId=out.string("ucp_tag_send_nbx"), packedSize=99, tag=3)  # fmt: skip
    for table, start, end, name in (
        ("PARALLEL", 1000, 1500, "Parallel region"), ("PARALLEL", 1600, 1700, "Parallel region"),
        ("SYNC_REGION", 1400, 1490, "Implicit barrier"),
    ):  # fmt: skip
        out.add(f"OPENMP_EVENT_KIND_{table}", start=start, end=end, eventClass=78, globalTid=MAIN,
                nameId=out.string(name))  # fmt: skip
    out.add("CUPTI_ACTIVITY_KIND_OPENACC_DATA", start=1710, end=1720, globalTid=MAIN,
            nameId=out.string("Enter data"), srcFile=out.string("/data/ann/secret/saxpy.c"),
            lineNo=12, bytes=4096)  # fmt: skip
    for table, name in (("OSRT_API", "poll"), ("SYSCALL", "futex")):
        out.add(table, start=1730, end=1740, globalTid=MAIN, nameId=out.string(name))
    for start, kind, bytes_, address in (
        (100, 11, 4096, ADDRESS), (200, 11, 8192, ADDRESS + 4096), (1300, 12, 4096, ADDRESS),
    ):  # fmt: skip
        out.add("CUPTI_ACTIVITY_KIND_MEMCPY", start=start, end=start + 50, deviceId=0, contextId=1,
                streamId=7, correlationId=0, globalPid=PROCESS, bytes=bytes_, copyKind=kind,
                srcKind=4, dstKind=4, virtualAddress=address)  # fmt: skip
    out.add("CUDA_UM_GPU_PAGE_FAULT_EVENTS", start=90, end=95, globalPid=PROCESS, deviceId=0,
            address=ADDRESS, numberOfPageFaults=5)  # fmt: skip
    for start, line in ((1250, 3), (1260, 3), (1270, 9)):
        out.add("CUDA_UM_CPU_PAGE_FAULT_EVENTS", start=start, globalPid=PROCESS, address=ADDRESS,
                CpuInstruction=out.string("fill"), SourceFile=out.string("/data/ann/fill.c"),
                SourceLine=line)  # fmt: skip
    return out.close()


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> nbprof.Trace:
    """The trace of this process."""
    path = write_libraries(tmp_path_factory.mktemp("nsys") / "report.sqlite")
    found: nbprof.Trace = nbprof.load(path, cache=False).trace()
    return found


def table(trace: nbprof.Trace, name: str) -> list[dict[str, Any]]:
    return list(trace.table(f"nsys_{name}").to_pylist())


def test_calls_of_mpi(trace: nbprof.Trace) -> None:
    rows = table(trace, "mpi_event_sum")
    assert [(row["group"], row["name"], row["instances"], row["total_us"]) for row in rows] == [
        ("Collectives", "MPI_Allreduce", 1, 0.3), ("Collectives", "MPI_Bcast", 1, 0.1),
        ("P2P", "MPI_Send", 2, 0.06), ("P2P", "MPI_Recv", 1, 0.01), ("Other", "MPI_Init", 1, 0.01),
    ]  # fmt: skip
    assert sum(row["time_pct"] for row in rows) == pytest.approx(100)
    events = table(trace, "mpi_event_trace")
    assert [row["start_us"] for row in events] == sorted(row["start_us"] for row in events)
    first, bcast = events[0], events[4]
    assert [first[one] for one in ("name", "tag", "peer", "root", "sent_bytes", "pid")] == [
        "MPI_Send", 7, 1, None, 1000, PID,
    ]  # fmt: skip
    assert [bcast[one] for one in ("name", "root", "sent_bytes", "received_bytes")] == [
        "MPI_Bcast", 0, None, 32,
    ]  # fmt: skip


def test_sizes_of_messages(trace: nbprof.Trace) -> None:
    rows = {(row["name"], row["direction"]): row for row in table(trace, "mpi_msg_size_sum")}
    assert rows.keys() == {
        ("MPI_Send", "sent"), ("MPI_Recv", "sent"), ("MPI_Allreduce", "sent"),
        ("MPI_Allreduce", "received"), ("MPI_Bcast", "received"),
    }  # fmt: skip
    send = rows["MPI_Send", "sent"]
    assert (send["total_bytes"], send["instances"], send["median_bytes"]) == (4000, 2, 2000)
    assert send["stddev_bytes"] == pytest.approx(statistics.stdev([1000, 3000]))


@pytest.mark.parametrize(
    ("report", "rows"),
    [
        ("openmp_sum", [("Parallel", "Parallel region", 2, 0.6),
                        ("Sync region", "Implicit barrier", 1, 0.09)]),
        ("openacc_sum", [("Data", "Enter data", 1, 0.01)]),
        ("ucx_event_sum", [("Submit", "ucp_tag_send_nbx", 1, 0.005)]),
        ("syscall_sum", [(None, "futex", 1, 0.01)]),
    ],
)  # fmt: skip
def test_calls_of_other_libraries(trace: nbprof.Trace, report: str, rows: list[Any]) -> None:
    found = table(trace, report)
    assert [(row["group"], row["name"], row["instances"], row["total_us"]) for row in found] == rows


def test_all_libraries_together(trace: nbprof.Trace) -> None:
    rows = table(trace, "osrt_sum")
    assert {row["library"] for row in rows} == {
        "MPI", "UCX", "OpenMP", "OpenACC", "OS runtime", "System calls",
    }  # fmt: skip
    assert [row["name"] for row in rows if row["library"] == "OS runtime"] == ["poll"]
    assert sum(row["instances"] for row in rows) == 13


def test_unified_memory(trace: nbprof.Trace) -> None:
    totals = ("to_device_bytes", "to_host_bytes", "cpu_faults", "gpu_faults")
    by_address = [tuple(row.values()) for row in table(trace, "um_sum")]
    assert by_address == [(hex(ADDRESS), 4096, 4096, 3, 5), (hex(ADDRESS + 4096), 8192, 0, 0, 0)]
    (whole,) = table(trace, "um_total_sum")
    assert [whole[name] for name in totals] == [12288, 4096, 3, 5]
    assert (whole["first_address"], whole["last_address"]) == (hex(ADDRESS), hex(ADDRESS + 4096))
    faults = table(trace, "um_cpu_page_faults_sum")
    assert [tuple(row.values()) for row in faults] == [
        (2, "/data/ann/fill.c:3 in fill"), (1, "/data/ann/fill.c:9 in fill"),
    ]  # fmt: skip


def test_filters_and_private_names(trace: nbprof.Trace) -> None:
    (first,) = table(trace.filter(steps=(0, 0)), "um_total_sum")
    assert (first["to_device_bytes"], first["to_host_bytes"], first["cpu_faults"]) == (12288, 0, 0)
    (late,) = table(trace.filter(time_us=(1.25, 1.27)), "um_total_sum")
    assert (late["cpu_faults"], late["gpu_faults"]) == (2, 0)
    assert table(trace.filter(steps=(1, 1)), "mpi_event_sum") == []
    assert len(table(trace.filter(steps=(1, 1)), "openmp_sum")) == 2
    sources = str(table(trace.with_private_frames(), "um_cpu_page_faults_sum"))
    assert "'fill.c:3 in fill'" in sources
    assert "ann" not in sources


def test_other_recordings_have_no_rows(gpu_trace: nbprof.Trace) -> None:
    for name in ("um_sum", "um_total_sum", "um_cpu_page_faults_sum", "mpi_event_trace",
                 "mpi_msg_size_sum", "openacc_sum", "openmp_sum", "osrt_sum"):  # fmt: skip
        assert table(gpu_trace, name) == []


@pytest.fixture(scope="module")
def gpu_trace() -> nbprof.Trace:
    """A recording of PyTorch's profiler."""
    from tests.conftest import ROOT

    found: nbprof.Trace = nbprof.load(ROOT / "tests/samples/gpu_resnet_synthetic").trace()
    return found


def test_a_part_of_an_export_keeps_what_belongs_to_its_kernels(tmp_path: Path) -> None:
    """Without ranges, only `cuda_work` is beside the kernels: one row for each of them."""
    out = Export(tmp_path / "report.sqlite")
    for at in range(3):
        out.call("cudaLaunchKernel_v7000", 1000 * at, 1000 * at + 100, MAIN, at + 1)
        out.kernel(f"kernel_{at}", 1000 * at + 200, 1000 * at + 900, PROCESS, at + 1,
                   contextId=at + 1)  # fmt: skip
    path = out.close()
    part = nbprof.load(path, cache=False, time_us=(1.0, 2.0)).trace()
    whole = nbprof.load(path, cache=False).trace().filter(time_us=(1.0, 2.0))
    rows = part.table("nsys_cuda_gpu_trace").to_pylist()
    assert [(row["name"], row["context"]) for row in rows] == [("kernel_1", 2)]
    assert rows == whole.table("nsys_cuda_gpu_trace").to_pylist()
