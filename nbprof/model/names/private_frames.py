"""Shortens the paths in Python frames to the package, for traces that are shared.

``/data/ann/env/lib/python3.11/site-packages/torch/nn/modules/conv.py(458): forward`` becomes
``torch/nn/modules/conv.py(458): forward``, and ``/data/ann/secret/train.py(7): main`` becomes
``train.py(7): main``. A path that is relative already, as PyTorch writes those of packages, stays.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.building import arrow_array

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: A frame of a call stack.
_FRAME: Final = re.compile(r"[^;\n]+")
#: The end of a frame's path, where its line follows: ``f.py(7)`` or ``f.py:7``.
_PATH_END: Final = re.compile(r"\.\w{1,4}(?=\(\d+\)|:\d+)")
#: Folders that hold packages.
_PACKAGES: Final = re.compile(r".*[\\/](?:site-packages|dist-packages|python\d[\w.]*)[\\/]")
#: A path that begins at a root, a drive, a home folder or above the working directory.
#: A text in a Python literal, in its quotes.
_QUOTED: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
_ELSEWHERE: Final = re.compile(r"[\\/]|[A-Za-z]:[\\/]|~|\.\.?[\\/]|file:")

#: Keys of metadata that name the machine; nothing that is shared has them.
MACHINE: Final = frozenset({"host_name"})

#: The columns that hold frames.
_COLUMNS: Final = ("name", "call_stack", "source")
#: The columns that hold texts of ranges as the program gave them, which may be call stacks.
_LABELS: Final = ("label", "text")
#: The columns that hold paths of source files.
_PATHS: Final = ("file",)


def private_text(text: str) -> str:
    """Return a name or call stack with the paths of its frames shortened.

    >>> private_text("/data/ann/train.py(7): main;/opt/lib/python3.11/queue.py(3): get")
    'train.py(7): main;queue.py(3): get'
    """
    return _FRAME.sub(lambda found: _private_frame(found[0]), text)


def private_label(text: str) -> str:
    """Return the text of a range with the paths of its frames shortened.

    PyProf writes call stacks as Python literals.

    >>> private_label("{'traceMarker': ['/data/ann/train.py:7', '/data/ann/net.py:3']}")
    "{'traceMarker': ['train.py:7', 'net.py:3']}"
    """
    if not text.startswith("{"):
        return private_text(text)
    return _QUOTED.sub(lambda found: found[0][0] + private_text(found[0][1:]), text)


def private_value(value: Any) -> Any:
    """Return a plain value, such as a list of dictionaries, with `private_text` in its texts."""
    if isinstance(value, str):
        return private_text(value)
    if isinstance(value, dict):
        return {key: private_value(one) for key, one in value.items()}
    return [private_value(one) for one in value] if isinstance(value, (list, tuple)) else value


def private_model(model: TraceModel) -> TraceModel:
    """Return a trace with the paths of all Python frames shortened, without the machine's name.

    Names that become equal are one name in the result.
    """
    return model.cached("private frames", lambda: _shortened(model))


def _private_frame(frame: str) -> str:
    # The end is searched for, and what is before it cut: one pattern for both would try every
    # length of a path at every blank before it.
    found = _PATH_END.search(frame)
    if not found:
        return frame
    path = frame[: found.end()].lstrip(" \t")
    blanks = frame[: found.end() - len(path)]
    return blanks + short_path(path) + frame[found.end() :]


def short_path(path: str) -> str:
    """Return the path of a file from its package on, or its name if it is in none.

    >>> short_path("/opt/lib/python3.11/site-packages/torch/nn/modules/conv.py")
    'torch/nn/modules/conv.py'
    """
    packaged = _PACKAGES.match(path)
    if packaged:
        return path[packaged.end() :]
    return re.split(r"[\\/]", path)[-1] if _ELSEWHERE.match(path) else path


#: How the texts of columns are shortened.
_SHORTENED: Final = {
    **dict.fromkeys(_COLUMNS, private_text),
    **dict.fromkeys(_LABELS, private_label),
    **dict.fromkeys(_PATHS, short_path),
}


def _shortened(model: TraceModel) -> TraceModel:
    tables = {}
    for name, table in model.tables.items():
        changed = table
        for at, field in enumerate(table.schema):
            shorten = _SHORTENED.get(field.name)
            if shorten is not None and pa.types.is_dictionary(field.type):
                texts = model.recorded(name, field.name)
                short = list(map(shorten, texts))
                if short != texts:
                    codes = model.column(name, field.name)
                    changed = changed.set_column(at, field, _coded(codes, short))
        tables[name] = changed
    metadata = {key: value for key, value in model.metadata.items() if key not in MACHINE}
    return type(model)(tables, metadata, model.warnings, model.communication_names, model.dialect)


def _coded(codes: npt.NDArray[np.int32], texts: list[str]) -> pa.DictionaryArray:
    """Return codes as a dictionary array over texts, of which some may be equal; -1 is null."""
    distinct = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    place = np.array([distinct[text] for text in texts] or [0], np.int32)
    indices = arrow_array(place[codes], pa.int32(), mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, arrow_array(list(distinct), pa.utf8()))
