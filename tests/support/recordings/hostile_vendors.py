"""NPU and Paddle profiles that try to run code: markup in every text."""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import cycle
from typing import TYPE_CHECKING, Any

from tests.conftest import ROOT
from tests.support.recordings.hostile import FORMULAS, POISON

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = ROOT / "samples"
NPU, PADDLE = "npu_convnet_synthetic", "paddle_cpu_convnet"
#: What a name may be that stays as it is: by these, rows and lanes are known for what they are.
_FIXED = re.compile(
    r"ProfilerStep#|ProfileStep#|process_|thread_|HostToDevice|async_|fwdbwd|Total Op Info"
    r"|.*Communication$|Plane \d"
)
#: Columns of CSV files that hold free text.
_TEXTS = {"Name", "Op Name", "Type", "Input Shapes", "Call Stack", "Component", "Input Formats"}


class Spoiler:
    """Puts one end to each name, so that what belongs together by name still does."""

    def __init__(self) -> None:
        # Surrogates are no text in UTF-8, and control characters end rows of other tools' files.
        texts = [end for end in POISON if end.isprintable()]
        formulas = cycle(text for text in FORMULAS if text.isprintable())
        # Few names have to hold some of each; the first is what the tests search for.
        self._texts = cycle([end for text in texts for end in (POISON[0], text, next(formulas))])
        self._ends: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        if not text or _FIXED.match(text):
            return text
        if text not in self._ends:
            self._ends[text] = next(self._texts)
        end = self._ends[text]
        return end + text if end in FORMULAS else text + end

    def all_of(self, value: Any) -> Any:
        """Spoil every text in a value."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list):
            return [self.all_of(item) for item in value]
        if isinstance(value, dict):
            return {key: self.all_of(item) for key, item in value.items()}
        return value

    def table(self, text: str) -> str:
        """Spoil the texts of a CSV file."""
        header, *rows = csv.reader(io.StringIO(text, newline=""))
        spoiled = [
            [
                self(value) if name.strip() in _TEXTS else value
                for name, value in zip(header, row, strict=True)
            ]
            for row in rows
        ]
        written = io.StringIO(newline="")
        csv.writer(written).writerows([header, *spoiled])
        return written.getvalue()


def hostile_npu(folder: Path) -> Path:
    """Write the NPU sample, spoiled; gives the folder of logs."""
    spoil = Spoiler()
    for source in sorted((SAMPLES / NPU).rglob("*")):
        if not source.is_file():
            continue
        target = folder / "logs" / "run<img src=x onerror=nbprofHit()>"
        target = target / source.relative_to(SAMPLES / NPU)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text("utf-8")
        if source.suffix == ".csv" and source.name != "step_trace_time.csv":
            text = spoil.table(text)
        elif source.name == "trace_view.json":
            text = json.dumps([_spoiled(event, spoil) for event in json.loads(text)])
        elif source.name == "communication.json":
            text = json.dumps(_collectives(json.loads(text), spoil))
        target.write_text(text, "utf-8")
    return folder / "logs"


def hostile_paddle(folder: Path) -> Path:
    """Write a span of the Paddle sample, spoiled; gives the folder of logs."""
    spoil = Spoiler()
    source = min((SAMPLES / PADDLE).glob("worker0*.json"))
    content = json.loads(source.read_text("utf-8"))
    content["traceEvents"] = [_spoiled(event, spoil) for event in content["traceEvents"]]
    for key, value in content["ExtraInfo"].items():
        if key.isdigit():
            content["ExtraInfo"][key] = spoil(value)
    target = folder / "logs" / "run<img src=x onerror=nbprofHit()>"
    target.mkdir(parents=True)
    name = source.name.replace("worker0", "w'\"<svg onload=nbprofHit()>")
    (target / name).write_text(json.dumps(content), "utf-8")
    return folder / "logs"


def _spoiled(event: dict[str, Any], spoil: Spoiler) -> dict[str, Any]:
    """Spoil a name, before the time that Paddle writes after it, and the texts of the arguments."""
    if event.get("ph") not in {"X", "M"}:
        return event
    name, bracket, time = event["name"].partition("[")
    args = event.get("args", {})
    if event["ph"] == "X":
        timeless = {k: v for k, v in args.items() if not k.endswith("_time")}
        return event | {
            "name": spoil(name) + bracket + time,
            "args": args | spoil.all_of(timeless),
        }
    return event | {"args": spoil.all_of(args)} if event["name"] == "thread_name" else event


def _collectives(content: Any, spoil: Spoiler) -> Any:
    """Spoil the names of collectives, which are keys."""
    return {
        step: {
            kind: {spoil(name): facts for name, facts in named.items()}
            for kind, named in kinds.items()
        }
        for step, kinds in content.items()
    }
