"""Writes small log directories as PyTorch does, and records the messages of a comm."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import comm
import pyarrow as pa
import pytest

from nbprof.widgets.explorer import Explorer
from nbprof.widgets.saved import state_saver

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EPOCH = 1_700_000_000_000_000
STACK = "train.py(7): <module>;torch/nn/modules/conv.py(458): forward"


def step_events(number: int, *, gpu: bool, rich: bool) -> list[dict[str, Any]]:
    """Return one training step of 1000 µs: two operators, a copy, a kernel each."""
    start = EPOCH + 1000 * number
    extra = {"Input Dims": [[8, 3], [4, 3, 3, 3]], "Call stack": STACK} if rich else {}

    def slice_(cat: str, name: str, at: int, dur: int, tid: int = 1, **args: Any) -> dict[str, Any]:
        place = {"pid": 1, "tid": tid, "ts": start + at, "dur": dur}
        return {"ph": "X", "cat": cat, "name": name, **place, "args": args}

    conv, add, event = 10 * number + 1, 10 * number + 2, 10 * number + 3
    events = [
        slice_("user_annotation", f"ProfilerStep#{number}", 0, 900),
        slice_("user_annotation", "forward", 10, 700),
        slice_("cpu_op", "aten::conv2d", 100, 300, **{"External id": conv}, **extra),
        slice_("cpu_op", "aten::add", 500, 100 + number, **{"External id": add}),
        slice_("cpu_op", "=cmd|'/c calc'!A1", 650, 10, **{"External id": event}),
    ]
    if gpu:
        for operator, at, kernel, dur in (
            (conv, 110, "void conv_fwd<float, 3>(float*, int)", 200),
            (add, 510, "add_kernel", 50 + number),
        ):
            link = {"correlation": operator, "External id": operator}
            device = {"device": 0, "stream": 7, "grid": [2, 1, 1], "block": [128, 1, 1]}
            device |= {"blocks per SM": 0.5, "est. achieved occupancy %": 30}
            device |= {"registers per thread": 32, "shared memory": 0}
            events.append(slice_("cuda_runtime", "cudaLaunchKernel", at, 5, **link))
            events.append(slice_("kernel", kernel, at + 20, dur, tid=7, **link, **device))
            events[-1]["pid"] = 0
    return events


def write_trace(
    path: Path, *, steps: tuple[int, ...] = (1, 2, 3), gpu: bool = True, rich: bool = True
) -> Path:
    """Write a trace file with these steps."""
    path.parent.mkdir(parents=True, exist_ok=True)
    events = [event for number in steps for event in step_events(number, gpu=gpu, rich=rich)]
    device = {"id": 0, "name": "Test GPU", "totalGlobalMem": 2**34}
    device |= {"computeMajor": 8, "computeMinor": 0, "numSms": 108}
    content = {"schemaVersion": 1, "deviceProperties": [device] if gpu else []}
    path.write_text(json.dumps({**content, "traceEvents": events}))
    return path


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Two runs: runA with two workers, one of two spans; runB on the CPU alone."""
    folder = tmp_path / "logs"
    write_trace(folder / "runA" / "worker0.1700000000001.pt.trace.json")
    write_trace(folder / "runA" / "worker0.1700000000002.pt.trace.json", steps=(4, 5))
    write_trace(folder / "runA" / "worker1.1700000000001.pt.trace.json")
    write_trace(folder / "runB" / "cpu0.1700000000001.pt.trace.json", gpu=False, rich=False)
    (folder / "runB" / "notes.json").write_text('{"a": 1}')
    return folder


class FakeComm:
    """Stands for the line to the browser: keeps what is sent, and takes what a page would say."""

    def __init__(self, **opened: Any) -> None:
        self.comm_id = f"fake-{id(self)}"
        self.opened = opened
        self.sent: list[tuple[dict[str, Any], list[Any]]] = []
        self.closed = False
        self._callback: Any = None

    def send(self, data: Any = None, buffers: Any = None, **_: Any) -> None:
        self.sent.append((json.loads(json.dumps(data, allow_nan=False)), list(buffers or [])))

    def on_msg(self, callback: Any) -> None:
        self._callback = callback

    def close(self, *_: Any, **__: Any) -> None:
        self.closed = True

    def receive(self, data: dict[str, Any]) -> None:
        self._callback({"content": {"data": data}, "buffers": []})


class Page:
    """A page in a browser: asks, and reads what comes."""

    def __init__(self, view: Explorer) -> None:
        self.view = view
        self.comm: FakeComm = view.comm
        self._ids = 0

    def state(self, **fields: Any) -> dict[str, Any]:
        view = self.view
        return {"run": view.run, "worker": view.worker, "span": view.span, "filter": fields}

    def ask(self, op: str, **params: Any) -> tuple[dict[str, Any], list[bytes]]:
        """Send a request and return its one reply."""
        self._ids += 1
        message = {"v": 1, "id": self._ids, "op": op, "gen": 3, "params": params}
        replies = self.say(message)
        own = [reply for reply in replies if reply[0]["id"] is not None]
        final = [reply for reply in own if "progress" not in reply[0]]
        assert len(final) == 1
        assert final[0] is replies[-1]
        assert [final[0][0][key] for key in ("v", "id", "op", "gen")] == [1, self._ids, op, 3]
        return final[0]

    def result(self, op: str, **params: Any) -> dict[str, Any]:
        reply, _ = self.ask(op, **params)
        assert reply["ok"], reply
        return reply["result"]

    def error(self, op: str, **params: Any) -> dict[str, Any]:
        reply, buffers = self.ask(op, **params)
        assert not reply["ok"]
        assert buffers == []
        return reply["error"]

    def say(self, content: Any) -> list[tuple[dict[str, Any], list[bytes]]]:
        """Send a custom message and return the custom messages that come back."""
        before = len(self.comm.sent)
        self.comm.receive({"method": "custom", "content": content})
        return self.custom(before)

    def custom(self, since: int = 0) -> list[tuple[dict[str, Any], list[bytes]]]:
        messages = self.comm.sent[since:]
        return [(m["content"], b) for m, b in messages if m.get("method") == "custom"]

    def save(self, **traits: Any) -> list[tuple[dict[str, Any], list[bytes]]]:
        """Write traits as the browser's save_changes does; return the messages that come back."""
        before = len(self.comm.sent)
        self.comm.receive({"method": "update", "state": traits, "buffer_paths": []})
        return self.comm.sent[before:]

    def updates(self, since: int = 0) -> dict[str, Any]:
        """Return the traits that Python told the page since a message."""
        told: dict[str, Any] = {}
        for message, _ in self.comm.sent[since:]:
            if message.get("method") == "update":
                told |= message["state"]
        return told


@pytest.fixture(autouse=True)
def fake_comm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comm, "create_comm", FakeComm)
    monkeypatch.setattr(state_saver, "QUIET_SECONDS", 3600.0)


@pytest.fixture
def open_page() -> Iterator[Any]:
    """Give a function that opens a view and the page that shows it."""
    pages: list[Page] = []

    def open_(source: Any, view_class: type[Explorer] = Explorer, **options: Any) -> Page:
        pages.append(Page(view_class(source, **options)))
        return pages[-1]

    yield open_
    for page in pages:
        page.view.close()


@pytest.fixture
def page(open_page: Any, logs: Path) -> Page:
    return open_page(logs)


def table_of(data: bytes) -> pa.Table:
    """Read a buffer as the browser does: an uncompressed IPC stream of one batch."""
    reader = pa.ipc.open_stream(data)
    batches = list(reader)
    assert len(batches) == 1
    return pa.Table.from_batches(batches)
