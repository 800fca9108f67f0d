"""The recorder of Python's own profiles: file names, and the beginning of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.sources.discovery.head import Head
from nbprof.sources.python_profiles.dialect import DIALECT
from nbprof.sources.python_profiles.formats import FORMAT, looks_like_profile
from nbprof.sources.recorder import Recorder

if TYPE_CHECKING:
    from nbprof.sources.discovery.head import FileStart


def look(start: FileStart) -> Head | None:
    """Recognise a profile by its content, whatever its name."""
    if not looks_like_profile(start.text):
        return None
    return Head(format=FORMAT, device_type="cpu", size=start.size)


RECORDER: Final = Recorder(
    name=FORMAT,
    read="nbprof.sources.python_profiles.reading:read",
    patterns=("*.pstats", "*.prof", "*.cprof", "*.cprofile", "*.pstats.gz", "*.prof.gz"),
    written_by=(("Profile().dump_stats(path)", "cProfile"),),
    look=look,
    live={
        "cProfile.Profile": "nbprof.sources.python_profiles.live:of_profile",
        "profile.Profile": "nbprof.sources.python_profiles.live:of_pure_profile",
        # `cProfile` since Python 3.15
        "profiling.tracing.Profile": "nbprof.sources.python_profiles.live:of_profile",
        "pstats.Stats": "nbprof.sources.python_profiles.live:of_stats",
    },
    dialect=DIALECT,
    accompanies_traces=True,
    view="functions",
)
