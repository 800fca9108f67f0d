"""Recognises operators and kernels that communicate, by their names and by rules of the user.

A kernel whose name is on these lists counts as communication. Words that also name local
work (dispatch, combine, all_gather, …) count only beside a namespace or engine that communicates.
`nbprof.options.communication_names` adds patterns of the user; see `checked`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from nbprof.model.errors import FilterError
from nbprof.model.filters.patterns import check_pattern, match_names
from nbprof.model.links.launches import links_of
from nbprof.model.names.name_tests import name_test, relaxed
from nbprof.model.units import format_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from nbprof.model.trace.trace_data import TraceData

Mask = npt.NDArray[np.bool_]


class Entry(NamedTuple):
    """One entry of the list of kernel names.

    Parameters
    ----------
    about : str
        Source of these kernels.
    pattern : re.Pattern
        Is searched in the qualified name of a kernel, without template and argument lists.
    """

    about: str
    pattern: re.Pattern[str]


def _entry(about: str, pattern: str) -> Entry:
    return Entry(about, re.compile(pattern, re.IGNORECASE))


#: Labels that backends give the work of their calls; vendors name their libraries after NCCL.
BACKEND: Final = r"^(?:[a-z]{1,6}ccl|cncl|bkcl|gloo|mpi|ucc):"

#: Calls of backends, of PyTorch's process groups and of its symmetric memory.
_OPERATOR: Final = re.compile(
    rf"{BACKEND}|^c10d::|_c10d_functional::|symm_mem::|record_param_comms"
)
#: An operator that only waits on a stream for one of the others.
_WAITS: Final = re.compile(r"::wait_tensor$")

#: Libraries whose name, anywhere in a kernel's full name, is sufficient evidence.
_LIBRARY: Final = re.compile(
    r"nccl|rccl|hccl|oneccl|msccl|nvshmem|cross_device_reduce"
    # mccl, cncl, bkcl, eccl, ixccl, …: the libraries of other vendors
    r"|(?<![a-z])(?:[a-z]{1,6}ccl|cncl|bkcl)(?:dev|sym|kernel|_|::)",
    re.IGNORECASE,
)

#: Kernels that communicate without these libraries, or whose names do not contain them.
ENTRIES: Final = (
    _entry(
        "one-shot and two-shot all-reduces of vLLM, SGLang, TensorRT-LLM, FlashInfer and PyTorch",
        r"(?:one|two)_?shot_?all_?reduce|all_?reduce\w*_(?:one|two)_?shot",
    ),
    _entry(
        "collectives over multicast memory",
        r"multimem_(?:all_?reduce|all_?gather|reduce_?scatter|broadcast)",
    ),
    _entry("all-reduces that signal by Lamport buffers", r"lamport"),
    _entry("all-reduces fused with what follows them", r"all_?reduce_fusion|(?<![a-z])ar_fusion::"),
    _entry("AITER's custom collectives", r"cross_device_(?:store|load)"),
    _entry("quick-reduce", r"quick_?reduce|all_?reduce_prototype"),
    _entry("all-reduces over MSCCL++ channels", r"all_?reduce_ll_\dnode"),
    _entry("user buffers of Transformer Engine", r"user_?buffers"),
    _entry(
        "collectives that NVSHMEM puts on a stream",
        r"(?<![a-z])(?:barrier|sync|broadcast|alltoall|fcollect|reduce|reducescatter|rdxn)"
        r"_on_stream_kernel",
    ),
    _entry("MoRI", r"(?<![a-z])ep(?:dispatch|combine)(?:intranode|internode|lowlatency)"),
    _entry(
        "expert parallelism of TensorRT-LLM and FlashInfer",
        r"moe_?all_?to_?all|moe_?a2a_?(?:prepare_?)?(?:dispatch|combine)",
    ),
    _entry("expert parallelism of Ascend's CANN", r"moe_?distribute_?(?:dispatch|combine)"),
    _entry("pplx garden", r"(?<![a-z])a2a_(?:dispatch|combine)_(?:send|recv)"),
)

#: pplx's kernels are in an unnamed namespace, so their buffers are matched besides their names.
_PPLX: Final = re.compile(
    r"\(anonymous namespace\)::(?:dispatch|combine)Kernel<\(?\w[^>]*>\(.*std::byte"
)

_PPLX_WORD: Final = re.compile(r"(?:dispatch|combine)Kernel<")

#: Namespaces and engines that communicate: DeepEP and its forks, hybrid-EP, UCCL, MoRI, symmetric
#: memory, multi-node NVLink.
_ENGINE: Final = re.compile(
    r"(?<![a-z])ep::|deep_?ep|hybrid_?ep|intra_?node|inter_?node|low_latency|symmetric_memory"
    r"|symm_mem|mnnvl|moe_comm|(?<![a-z])uccl|(?<![a-z])mori(?:::|\d)",
    re.IGNORECASE,
)
#: Words that mean communication beside one of these, and may be local work elsewhere.
_GENERIC: Final = re.compile(
    r"dispatch|combine|notify|all_?to_?all|all_?gather|all_?reduce|reduce_?scatter|broadcast"
    r"|barrier|(?<![a-z])(?:put|get|send|recv|signal|sync|clean)(?![a-z])",
    re.IGNORECASE,
)

#: Texts of C++ for namespaces without a name.
_UNNAMED: Final = ("(anonymous namespace)::", "<unnamed>::")
#: What the name of every communication kernel contains.
_POSSIBLE: Final = "|".join(
    relaxed(one.pattern)
    for one in (_LIBRARY, *(entry.pattern for entry in ENTRIES), _ENGINE, _PPLX_WORD)
)

#: Kernels of torch.compile contain the names of the operators that they fuse. A collective among
#: these only produced their input: it has kernels of its own.
_COMPILED: Final = re.compile(r"^triton_\w*?fused_")


@name_test(_OPERATOR.pattern)
def is_communication_operator(name: str) -> bool:
    """Whether an operator or annotation of this name is a collective or point-to-point call."""
    return _OPERATOR.search(name) is not None and _WAITS.search(name) is None


@name_test(_POSSIBLE, without=_UNNAMED)
def is_communication_kernel(name: str) -> bool:
    """Return whether a kernel communicates, by its full name."""
    if _LIBRARY.search(name):
        return True
    if _COMPILED.search(name):
        return False
    plain = qualified_name(name)
    if any(entry.pattern.search(plain) for entry in ENTRIES):
        return True
    if _ENGINE.search(plain) and _GENERIC.search(plain):
        return True
    return _PPLX.search(name) is not None


def qualified_name(full: str) -> str:
    """Return a kernel's name with its namespaces, without return type, templates and arguments.

    Types among templates and arguments say what a kernel works on, not what it does.
    """
    name = full
    for unnamed in _UNNAMED:
        name = name.replace(unnamed, "")
    name = re.split(r"[<(]", name, maxsplit=1)[0] or name
    return name.rsplit(" ", 1)[-1] or full


def checked(names: Iterable[object]) -> tuple[str, ...]:
    """Return the user's rules in normal form.

    Parameters
    ----------
    names : iterable of str
        Parts of names in any case, or ``/regular expressions/``, as in `Filter.name`.

    Raises
    ------
    FilterError
        A rule is not a text, is empty, or is not a valid regular expression.
    """
    kept = []
    for name in names:
        if not isinstance(name, str) or not name.strip():
            message = f"a name or /regular expression/ is required, not {name!r}."
            raise FilterError(message)
        check_pattern(name, field="")
        kept.append(name)
    return tuple(dict.fromkeys(kept))


def count_matches(model: TraceData, rules: Sequence[str]) -> dict[str, int]:
    """Count the device events that each user rule matches, by their name or their operator's."""
    name, operator = model.column("device", "name"), links_of(model).operator
    host_name = np.append(model.column("host", "name"), -1)[operator]  # the last is for -1
    counts = {}
    for rule in rules:
        hits = rows_matched(model.values("device", "name"), name, [rule])
        hits |= rows_matched(model.values("host", "name"), host_name, [rule])
        counts[rule] = int(hits.sum())
    return counts


def rows_matched(texts: Sequence[str], codes: npt.NDArray[Any], rules: Sequence[str]) -> Mask:
    """Return which rows have a text that one of the user's rules matches, shape (rows,).

    Parameters
    ----------
    texts : sequence of str
        The distinct texts.
    codes : ndarray of integers, shape (rows,)
        Index of each row's text, -1 for none.
    rules : sequence of str
        As `checked` returns them.
    """
    is_match = np.zeros(len(texts) + 1, bool)  # the last is for -1
    for rule in rules:
        is_match[:-1] |= match_names(texts, rule)
    rows: Mask = is_match[codes]
    return rows


def rules_text(counts: Mapping[str, int]) -> str:
    """Describe the user's rules, with the number of device events that each matches."""
    return ", ".join(
        f"{rule} ({format_count(count, 'device event') if count else 'matches nothing here'})"
        for rule, count in counts.items()
    )


def is_backend_call(name: str) -> bool:
    """Whether this is the label of a call of a communication backend: ``gloo:all_reduce``."""
    return re.match(BACKEND, name) is not None
