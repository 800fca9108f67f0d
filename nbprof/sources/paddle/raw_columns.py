"""`RawColumns`: the columns of a file before its tables are built, for JSON and protobuf."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from nbprof.sources.chrome.columns import as_float
from nbprof.sources.chrome.dictionaries import JsonTexts, Names, TextDictionary
from nbprof.sources.paddle.texts import ArgumentTexts, LaneThreads, PaddleStacks, Places

if TYPE_CHECKING:
    from nbprof.sources.chrome.batch import Pieces
    from nbprof.sources.defects import DefectLog

#: Keys of the extra information that are not thread ids.
PROCESS_CPU: Final = "Process Cpu Utilization"
SYSTEM_CPU: Final = "System Cpu Utilization"


@dataclass
class RawColumns:
    """Pieces of the columns of all tables, and the texts that their codes stand for.

    Beside the columns of the model, pieces have ``order``, the position of the event in the file,
    and those of host rows ``event_type``; for JSON also the columns that `clock` converts to times.

    Attributes
    ----------
    base_ns : int
        Absolute nanoseconds that all times count from.
    events : int
        Number of events of all kinds in the file.
    thread_names : dict of int to str
        By thread id.
    extra : dict of str to str
        Information on threads and CPU utilization.
    devices : list of dict
        Rows of the table of devices.
    """

    defects: DefectLog
    host: list[Pieces] = field(default_factory=list)
    device: list[Pieces] = field(default_factory=list)
    memory: list[Pieces] = field(default_factory=list)
    names: Names = field(default_factory=Names)
    types: TextDictionary = field(default_factory=TextDictionary)
    threads: LaneThreads = field(default_factory=LaneThreads)
    shapes: ArgumentTexts = field(init=False)
    dtypes: ArgumentTexts = field(init=False)
    stacks: PaddleStacks = field(default_factory=PaddleStacks)
    extents: JsonTexts = field(init=False)
    places: Places = field(default_factory=Places)
    base_ns: int = 0
    events: int = 0
    thread_names: dict[int, str] = field(default_factory=dict)
    extra: dict[str, str] = field(default_factory=dict)
    devices: list[dict[str, Any]] = field(default_factory=list)
    header_metadata: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the dictionaries that count defects."""
        self.shapes, self.dtypes = ArgumentTexts(self.defects), ArgumentTexts(self.defects)
        self.extents = JsonTexts(self.defects)

    def note_threads(self, threads: Any, count: int) -> None:
        """Count rows without a thread id."""
        unknown = [at for at, key in enumerate(self.threads.keys_seen) if key[1] == -1]
        missing = sum(int((threads == at).sum()) for at in unknown)
        self.defects.note("missing thread id", missing, f"{missing} of {count} events")

    def metadata(self) -> dict[str, Any]:
        """Return the metadata of the file."""
        metadata = dict(self.header_metadata)
        for key, name in ((PROCESS_CPU, "process_cpu_pct"), (SYSTEM_CPU, "system_cpu_pct")):
            share = as_float(self.extra.get(key))
            if share == share:  # noqa: PLR0124 - not NaN
                metadata[name] = 100 * share
        return metadata

    def name_of_thread(self, tid: int) -> str:
        """Return the name of a thread, empty if the file has none."""
        return str(self.extra.get(str(tid)) or self.thread_names.get(tid, ""))
