"""C++ names as people write them, for the mangled ones that compilers and runtimes record.

A mangled name is a compressed text: a short one may stand for gigabytes, and names come from files
that nobody vouches for. So each is read within limits, and all of a trace together, too. What is
not read within them stays as it was recorded.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Characters of the longest name that is read, and of the longest that is shown for it.
LONGEST: Final = 1 << 13
LONGEST_READ: Final = 1 << 14

#: Characters of the mangled names of a trace that are read; a second is enough for them.
BUDGET: Final = 1 << 18

_FUNCTION: Final = re.compile(r"__?Z[NL0-9]")

#: What AMD's compiler puts behind the name of a kernel's descriptor.
_DESCRIPTOR: Final = ".kd"


def is_mangled(name: str) -> bool:
    """Whether a name looks like that of a function in the Itanium ABI, as CUDA and ROCm use it.

    Operators such as ``_Zoo`` do not count: no kernel is called so, but a user's range may be.
    """
    return _FUNCTION.match(name) is not None


@lru_cache(maxsize=1 << 10)
def readable(name: str) -> str:
    """Return a C++ name as people write it, any other name as it is.

    Parameters
    ----------
    name : str
        As recorded. One that is damaged or too large stays as it is.
    """
    demangle = _demangler()
    if demangle is None or not is_mangled(name) or len(name) > LONGEST:
        return name
    return demangle(name.removesuffix(_DESCRIPTOR)) or name


def readable_names(recorded: Sequence[str]) -> list[str]:
    """Return distinct names as people write them, all different, too.

    Where two names would read the same, or one as another that was recorded so, they stay as they
    were recorded.

    Parameters
    ----------
    recorded : sequence of str
        Distinct names. The same list is returned where there is nothing to read.
    """
    shown = list(recorded)
    left = BUDGET
    for place, name in enumerate(recorded):
        if is_mangled(name) and len(name) <= left:
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
    """Return what reads a mangled name, None without the library that does."""
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
