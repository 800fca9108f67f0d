"""All registered tables, for tests that hold for each of them."""

from __future__ import annotations

from nbprof.tables import TABLES
from nbprof.tables.methods import has

#: Names of nbprof's own tables of a trace.
TRACE_TABLES = tuple(
    spec.name for spec in TABLES.specs() if TABLES.is_own(spec.name) and has("trace", spec)
)
#: Names of nbprof's own tables of a profile.
PROFILE_TABLES = tuple(
    spec.name for spec in TABLES.specs() if TABLES.is_own(spec.name) and has("profile", spec)
)
#: Those of a trace in every grouping but the default: the name and the options.
GROUPED = tuple(
    (name, {"group_by": group_by})
    for name in TRACE_TABLES
    for group_by in list(TABLES[name].groupings)[1:]
)
