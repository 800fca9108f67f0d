"""`KeptResults`: stands for the results of a profiler that can be saved more than once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from nbprof.sources.output.writer import opened

if TYPE_CHECKING:
    from nbprof.sources.live.memory_file import MemoryFile

#: The last member of the file, which Kineto writes without escapes.
_NAME = b'"traceName":'


class KeptResults:
    """The results of one recording, with the file that they were saved to.

    Parameters
    ----------
    results : torch._C._autograd._ProfilerResult
        The results, which have been saved and cannot be saved again. All but `save` is theirs.
    file : MemoryFile
        What they were saved to.
    """

    def __init__(self, results: Any, file: MemoryFile) -> None:
        self.results = results
        self.file = file

    def save(self, path: str) -> None:
        """Write the file again, under the name that Kineto would give it."""
        content = self.file.content()
        start, key, _ = content.rpartition(_NAME)
        if key:
            content = start + key + b" " + json.dumps(str(path)).encode() + b" }"
        with opened(path) as file:
            file.write(content)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.results, name)
