"""`OtherFile`: files that nbprof recognises but cannot read, with what to do about them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class OtherFile:
    """Files that belong to a profiler, by their names, and that nbprof does not read.

    Parameters
    ----------
    pattern : str
        Pattern of their names; an asterisk at one end stands for anything.
    what : str
        What such a file is, a phrase after "it is".
    advice : str
        What to do instead, a sentence without the full stop. ``{name}`` stands for the name of the
        file, quoted for a shell, and ``{stem}`` for the name without what `pattern` gives.

    Examples
    --------
    >>> other = OtherFile(pattern="*.qdrep", what="an old report", advice="Run convert {name}")
    >>> other.reason("my run.qdrep")
    "it is an old report, which nbprof does not read. Run convert 'my run.qdrep'"
    """

    pattern: str
    what: str
    advice: str

    def matches(self, name: str) -> bool:
        """Whether a file has such a name; upper and lower case do not matter."""
        before, star, after = self.pattern.lower().partition("*")
        name = name.lower()
        if not star:
            return name == before
        fits = len(name) > len(before) + len(after)
        return fits and name.startswith(before) and name.endswith(after)

    def reason(self, name: str) -> str:
        """Return why a file is not read, and what to do."""
        before, _, after = self.pattern.partition("*")
        stem = name[len(before) : len(name) - len(after)] if after else name
        advice = self.advice.format(name=shlex.quote(name), stem=shlex.quote(stem))
        return f"it is {self.what}, which nbprof does not read. {advice}"


_TORCH: Final = "record the program with torch.profiler, or with nsys profile"

#: Files of profilers that nbprof reads nothing of.
OTHER_FILES: Final = (
    OtherFile(
        pattern="*.xplane.pb",
        what="an XSpace of TensorFlow, JAX or PyTorch/XLA",
        advice=(
            "Use the trace.json.gz that lies beside it, or convert it with xprof or TensorBoard's"
            " profile plugin (trace_viewer), which write Chrome JSON"
        ),
    ),
    OtherFile(
        pattern="*.etl",
        what="a log of Event Tracing for Windows",
        advice=f"Open it with Windows Performance Analyzer or PIX, or {_TORCH}",
    ),
    OtherFile(
        pattern="*.rpd",
        what="a database of rocmProfileData",
        advice="Convert it to Chrome JSON: python3 rpd2tracing.py {name} {stem}.json",
    ),
    OtherFile(
        pattern="*.pftrace",
        what="a trace in Perfetto's own format",
        advice="Convert it to Chrome JSON: traceconv json {name} {stem}.json",
    ),
    OtherFile(
        pattern="*.perfetto-trace",
        what="a trace in Perfetto's own format",
        advice="Convert it to Chrome JSON: traceconv json {name} {stem}.json",
    ),
    OtherFile(
        pattern="perf.data",
        what="a recording of Linux perf, which samples the CPU",
        advice=f"Open it with perf report, or {_TORCH}",
    ),
    OtherFile(
        pattern="*.ntff",
        what="a profile of AWS Neuron",
        advice="Open it with neuron-profile view",
    ),
    OtherFile(
        pattern="*.otf2",
        what="the anchor file of an OTF2 archive, as Score-P and rocprofv3 write it",
        advice="Open it with Vampir; rocprofv3 writes Perfetto traces with --output-format pftrace",
    ),
    OtherFile(
        pattern="*.vtune",
        what="a project of Intel VTune",
        advice=f"Open it with vtune-gui, or {_TORCH}",
    ),
)
