"""The other tools that read the same traces, each in an environment of its own in `.data`."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

from traces.build_large import DATA


@dataclass(frozen=True)
class Peer:
    """A package on PyPI that is measured beside ours.

    Attributes
    ----------
    title : str
        What it is called in results.
    requirement : str
        What pip installs.
    module : str
        What shows that it is installed.
    worker : str
        The script that measures it.
    """

    title: str
    requirement: str
    module: str
    worker: str


PEERS = {
    "hta": Peer("HTA", "HolisticTraceAnalysis==0.5.0", "hta", "worker_hta.py"),
    "plugin": Peer(
        "TensorBoard plugin",
        "torch-tb-profiler==0.4.3",
        "torch_tb_profiler",
        "worker_plugin.py",
    ),
}


def python_of(name: str) -> str:
    """Return an interpreter that has a peer; its environment is made on first use."""
    peer = PEERS[name]
    folder = DATA / f"venv-{name}"
    python = folder / "bin" / "python"
    probe = [str(python), "-c", f"import {peer.module}"]
    if not python.exists() or subprocess.run(probe, check=False, capture_output=True).returncode:
        DATA.mkdir(exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "--quiet", peer.requirement],
            check=True,
            stdout=sys.stderr,
        )
    return str(python)
