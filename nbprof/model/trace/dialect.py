"""`Dialect`: what the traces of one recorder contain, and the words used for it.

Analyses, charts and hints use the `Dialect` of a model and never the name of a recorder. A dialect
has three parts: `Capabilities` say which columns, tables and cards there are and how they are
computed, `Vocabulary` has the names of things, and `hints` say how to record missing data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class Cores:
    """The kinds of cores that kernels of a device run on, by the names that its recorder writes.

    Parameters
    ----------
    main : frozenset of str
        Cores made for the computations of deep learning. Their share of the kernel time is in the
        columns ``ai_core_…``.
    operator_tasks : frozenset of str
        Those of `main` that the recorder includes when it sums the time of operators itself.
    communication : frozenset of str
        Values that the recorder writes in place of a core for kernels that communicate.
    communication_prefix : str
        Prefix of the names of kernels that communicate.
    advice : mapping of str to str
        How to move work from another core to the main ones, by the name of that other core.
    """

    main: frozenset[str] = frozenset()
    operator_tasks: frozenset[str] = frozenset()
    communication: frozenset[str] = frozenset()
    communication_prefix: str = ""
    advice: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a recorder records beyond slices, which determines columns, tables and cards.

    Parameters
    ----------
    cores : Cores, optional
        Kernels name the core that they ran on and have metrics of their own (the model's table
        ``npu_kernels``), in place of matrix units and occupancy.
    step_totals : bool
        Whole steps have sums of computation, communication and free time (``npu_steps``): the
        recorder's own, or computed by its definitions. Recommendations use them.
    rank_step_totals : bool
        The distributed view shows these sums.
    event_types : bool
        Host events have types (the model's table ``host_types``). Stages, communication and the
        user's annotations are those of their type, operators have phases and parts, and there are
        cards of them.
    stages : bool
        Operators tell the stages of training, as in PyTorch: the outermost ones on the thread of
        the steps are the forward pass.
    call_extremes : bool
        ``operators`` and ``user_events`` have the longest and the shortest call and shares on both
        sides.
    host_step_shares : bool
        ``device_summary`` has a row for the CPU, and its shares are of the time of the steps on
        the host.
    host_communication : bool
        In the distributed view, host ranges of device collectives count as communication.
    """

    cores: Cores | None = None
    step_totals: bool = False
    rank_step_totals: bool = False
    event_types: bool = False
    stages: bool = True
    call_extremes: bool = False
    host_step_shares: bool = False
    host_communication: bool = False


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The names that a recorder and its framework use, for texts shown to users.

    Devices are called by their type, ``device_type`` in the metadata, in capitals.

    Parameters
    ----------
    matrix_units : str
        The matrix units of its devices, such as ``"Tensor Cores"``; empty if the name of the device
        determines them.
    compiler : str
        Name of the compiler of models.
    autocast : str
        API that runs operators in smaller data types.
    launch_ahead : str
        Feature that lets the host run ahead of the device; empty for `compiler`.
    copy_overlap : str
        Feature that copies the next batch during computation; empty for pinned memory.
    communication_lanes : str
        The group of timeline lanes that show communication.
    record_ranks : str
        How to record every rank of a job, one sentence.
    mark_steps : str
        How to mark the steps, one sentence; ``{what}`` stands for what a step is.
    """

    matrix_units: str = ""
    compiler: str = "a compiler"
    autocast: str = "lower precision"
    launch_ahead: str = ""
    copy_overlap: str = ""
    communication_lanes: str = ""
    record_ranks: str = "Record every rank and put the files into one folder."
    mark_steps: str = "Call prof.step() at the end of every {what}."


@dataclass(frozen=True, kw_only=True)
class RecordingOption:
    """An option of a profiler, and the files that its data is written to.

    If the option was on already, advice to turn it on would not help.
    """

    name: str
    files: tuple[str, ...] = ()


#: Explains the single step of recordings without marked steps.
WHOLE: Final = (
    "No steps are marked, so the whole recording is one step: from the first to the last operator"
    " or annotation, and to the end of the device work that they launched."
)

#: A hint for each thing that a recording may lack, without vendor-specific words.
PLAIN_HINTS: Final[Mapping[str, str]] = {
    "device": "No device work in this trace.",
    "kernels": "No kernels in this trace.",
    "shapes": "No input shapes in this trace.",
    "stacks": "No call stacks in this trace.",
    "memory": "No memory was recorded.",
    "modules": "No modules recorded.",
    "steps": WHOLE,
    "host": "Record the host too: steps are labels on the host.",
    "occupancy": "No blocks per SM and no occupancy in this trace.",
    "slices": "Nothing in this profile has a start and an end.",
    "operators": "No operators in this trace.",
    "user_events": "No annotations of the user are in this trace.",
    "matrix_units": "These devices have other cores instead.",
    "cores": "The cores that kernels ran on were not recorded.",
    "releases": "Who allocates a block was recorded, but not who releases it.",
    "calls": "No operator of these names is in the trace, so that calls cannot be counted.",
    "functions": (
        "No profile of Python's functions. cProfile records one: run the program with "
        "`python -m cProfile -o logs/main.pstats`."
    ),
    "placed": "The recording does not say when and on which thread operators ran.",
}


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """What the traces of a recorder contain, the words they use, and hints for missing data.

    Parameters
    ----------
    capabilities : Capabilities
        Which columns, tables and cards there are.
    vocabulary : Vocabulary
        Names of things.
    hints : mapping of str to str
        A sentence for each thing that may be missing, by the keys of `PLAIN_HINTS`; it says how to
        record it. For other keys, the plain hint without advice is used.
    options : mapping of str to RecordingOption
        The options that record these things, by the same keys, as the metadata of a trace name
        them.

    Examples
    --------
    >>> Dialect(hints={"memory": "No memory was recorded. Set memory=true."}).hint("memory")
    'No memory was recorded. Set memory=true.'
    >>> PLAIN.hint("memory")
    'No memory was recorded.'
    """

    capabilities: Capabilities = field(default_factory=Capabilities)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    hints: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, RecordingOption] = field(default_factory=dict)

    def hint(self, name: str) -> str:
        """Return the hint for a thing that a recording lacks."""
        return self.hints.get(name) or PLAIN_HINTS[name]


#: The default dialect: no capabilities and no words of its own.
PLAIN: Final = Dialect()
