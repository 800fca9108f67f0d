"""Tells the user's own frames in call stacks from those of libraries, for stacks as text.

The browser has the same rules in ``js/src/values/names.ts``.
"""

from __future__ import annotations

import re
from typing import Final

#: Files and folders of the standard library, whose install path recorders leave out.
_STANDARD: Final = (
    r"(abc|copy|contextlib|csv|dataclasses|enum|functools|inspect|os|pathlib|pickle|queue|random"
    r"|runpy|selectors|shutil|socket|socketserver|subprocess|tempfile|threading|types|typing"
    r"|warnings|weakref|zipfile)\.py\(|(asyncio|collections|concurrent|ctypes|email|encodings|http"
    r"|importlib|json|logging|multiprocessing|re|urllib)/"
)

#: Frames of library code: by file path, or by what profilers write where there is no file.
_LIBRARY: Final = re.compile(
    r"/(site-packages|dist-packages|lib/python[\d.]+)/"
    r"|^(torch|torchvision|torchaudio|lightning|pytorch_lightning|transformers|accelerate)/"
    r"|/torch/(nn|autograd|optim|utils|profiler|cuda|distributed|_\w+)/"
    r"|^(IPython|ipykernel|traitlets|tornado|numpy|triton|functorch)/"
    rf"|^(?:{_STANDARD})"
    r"|^<(built-in|frozen)|^nn\.Module|\.(so|pyx)\b"
)

#: C++ frames, which snapshots contain if they were asked for.
_COMPILED: Final = re.compile(r"\.(?:c|cc|cpp|cu|cuh|h|hpp)\(\d+\): |^\?\?\(0\): ")


def user_frame(stack: str) -> str:
    """Return the user's innermost frame in a call stack; without any, the innermost of Python.

    >>> user_frame("torch/nn/modules/linear.py(125): forward;/data/ann/net.py(7): forward")
    '/data/ann/net.py(7): forward'
    """
    frames = [frame for frame in map(str.strip, stack.split(";")) if frame]
    python = [frame for frame in frames if not _COMPILED.search(frame)]
    own = (frame for frame in python if not _LIBRARY.search(frame))
    return next(own, next(iter(python or frames), ""))
