"""A trace that tries to run code: markup, scripts and formulas in every text."""

from __future__ import annotations

import json
from itertools import cycle
from typing import TYPE_CHECKING, Any

import nbprof
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: What would count, were it run: pages of the tests define it.
HIT = "nbprofHit()"
#: Ends of names. Each would be run by a page that puts texts together to markup in its own way.
POISON = (
    f'<img src=x onerror="{HIT}">',
    f"<script>{HIT}</script>",
    f'"><svg onload="{HIT}"><rect width=9 height=9></svg>',
    f"' onmouseover='{HIT}' x='",
    f'" onfocus="{HIT}" autofocus tabindex="0',
    f"</script><script>{HIT}</script><!--",
    f"</style></title></textarea><img src=x onerror={HIT}>",
    f"--><img src=x onerror={HIT}>]]>",
    f'<iframe srcdoc="<script>parent.{HIT}</script>"></iframe>',
    f'<a href="javascript:{HIT}">here</a>',
    f"<template shadowrootmode=open><img src=x onerror={HIT}></template>",
    f"&lt;img src=x onerror={HIT}&gt;&#60;img src=x onerror={HIT}&#62;",
    f"${{{HIT}}}{{{{constructor.constructor('{HIT}')()}}}}@{{name}}",
    "\u202egnp.exe\u202c\u2066\u200b\u2028\u2029",
    "\x00\x07\x1b[31m\x1b]0;title\x07\x7f\x85\r\n\t",
    "\ud800 \udfff \ufffe",
)
#: Names that a spreadsheet takes for formulas.
FORMULAS = (
    '=HYPERLINK("http://localhost/"&A1,"x")',
    "+1+cmd|'/c calc'!A1",
    "-2+3",
    "@SUM(A1:A9)",
    "\t=1+1",
    "\r=1+1",
)
#: A folder and a worker; file names hold no slash.
RUN = f"run<img src=x onerror={HIT}>\u202e"
WORKER = f"w'\"<svg onload={HIT}>&lt;b&gt;"
#: Metadata that nobody asked for; it stays where it is.
UNKNOWN = "known-to-nobody-but-the-file"
#: By these names rows are known for what they are.
_FIXED = ("ProfilerStep#", "[memory]", "ac2g", "fwdbwd", "process_", "thread_", "cuda", "Iteration")


def hostile_logs(folder: Path) -> Path:
    """Write two steps of the GPU sample, spoiled, in a run with a name to match."""
    target = folder / RUN
    target.mkdir(parents=True)
    part = folder / "part.json"
    sample = nbprof.load(ROOT / "tests/samples/gpu_resnet_synthetic").trace()
    sample.filter(steps=(2, 3)).to_chrome_trace(part)
    content = json.loads(part.read_text("utf-8"))
    part.unlink()
    poison = cycle(POISON)
    formulas = cycle(FORMULAS)
    ends: dict[str, str] = {}
    for event in content["traceEvents"]:
        name = event["name"]
        if not name.startswith(_FIXED):
            # One end for each name, so that groups stay groups; some names are formulas.
            if name not in ends:
                ends[name] = next(poison)
                if event.get("cat") in {"cpu_op", "kernel"} and len(ends) % 3 == 0:
                    ends[name] += next(formulas)
            end = ends[name]
            event["name"] = name + end if not _formula(end) else _formula(end) + name
        event["args"] = _spoiled(event.get("args", {}), poison)
        if event["ph"] == "X":
            event["args"] |= {POISON[0]: POISON[1], "Fwd thread id <b>": 1}
    for key, value in list(content.items()):
        if key not in {"traceEvents", "displayTimeUnit"}:
            content[key] = _spoiled(value, poison)
    content[f"note {POISON[0]}"] = UNKNOWN
    content["owner"] = UNKNOWN
    (target / f"{WORKER}.1700000000001.pt.trace.json").write_text(json.dumps(content), "utf-8")
    return folder


def _formula(end: str) -> str:
    """Give the formula that an end holds, which has to stand first."""
    return next((formula for formula in FORMULAS if end.endswith(formula)), "")


def _spoiled(value: Any, poison: Iterator[str]) -> Any:
    """Put an end to every text in a value."""
    if isinstance(value, str):
        return value + next(poison)
    if isinstance(value, list):
        return [_spoiled(item, poison) for item in value]
    if isinstance(value, dict):
        return {key: _spoiled(item, poison) for key, item in value.items()}
    return value
