"""Demangles the C++ names that compilers and runtimes record.

A mangled name is a compressed text: a short one may expand to gigabytes, and names come from
untrusted files. So there is a limit for each name, and one for all names of a trace. Names beyond a
limit stay as they were recorded.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

#: Maximum length of a mangled name, and of a demangled one, in characters.
LONGEST: Final = 1 << 13
LONGEST_READ: Final = 1 << 14

#: Maximum length of all mangled names of a trace together; they take about a second.
BUDGET: Final = 1 << 18

_FUNCTION: Final = re.compile(r"__?Z[NL0-9]")
#: How such names begin: looking for it first is quick where a trace has a million names.
_STARTS: Final = ("_Z", "__Z")

#: Suffix that AMD's compiler gives to kernel descriptors.
_DESCRIPTOR: Final = ".kd"


def _is_mangled(name: str) -> bool:
    """Whether a name looks like a function name in the Itanium ABI, as in CUDA and ROCm.

    Operators such as ``_Zoo`` do not count: no kernel has such a name, but a user's range may.
    """
    return _FUNCTION.match(name) is not None


@lru_cache(maxsize=1 << 10)
def readable(name: str) -> str:
    """Demangle a C++ name; return any other name unchanged.

    Parameters
    ----------
    name : str
        As recorded. A damaged or too long one is returned unchanged.
    """
    demangle = _demangler()
    if demangle is None or not _is_mangled(name) or len(name) > LONGEST:
        return name
    return demangle(name.removesuffix(_DESCRIPTOR)) or name


def readable_names(recorded: list[str]) -> list[str]:
    """Demangle distinct names; the results are distinct, too.

    Names stay as recorded if they would equal another demangled or recorded name.

    Parameters
    ----------
    recorded : list of str
        Distinct names. The same list is returned if none is mangled.
    """
    mangled = [at for at, name in enumerate(recorded) if name.startswith(_STARTS)]
    if not mangled:
        return recorded
    shown = list(recorded)
    left = BUDGET
    for place in mangled:
        name = recorded[place]
        if _is_mangled(name) and len(name) <= left:
            left -= len(name)
            shown[place] = readable(name)
    if left == BUDGET:
        return shown
    places: dict[str, list[int]] = {}
    for place, name in enumerate(shown):
        places.setdefault(name, []).append(place)
    for same in places.values():
        if len(same) > 1:
            for place in same:
                shown[place] = recorded[place]
    return shown


@lru_cache(maxsize=1)
def _demangler() -> Callable[[str], str | None] | None:
    """Return the function that demangles a name, None if its library is not installed."""
    try:
        from demangle import DemanglingError, Limits, demangle_strict
    except ImportError:
        return None
    limits: Any = Limits(
        max_depth=128, max_output=LONGEST_READ, max_substitutions=2048, max_input=LONGEST
    )

    def demangle(name: str) -> str | None:
        try:
            text: str = demangle_strict(name, language="itanium", limits=limits)
        except DemanglingError:
            return None
        return text

    return demangle
