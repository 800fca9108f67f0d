"""`name_conflict`: names that tables of extensions cannot have, as traces or profiles use them."""

from __future__ import annotations

from inspect import get_annotations
from typing import TYPE_CHECKING

from nbprof.profiles import Profile
from nbprof.trace import Trace

if TYPE_CHECKING:
    from nbprof.model.contract.spec import TableSpec


def name_conflict(spec: TableSpec) -> str:
    """Return why traces or profiles cannot have a method of a table's name; empty if they can."""
    owners: dict[str, type] = {"trace": Trace, "profile": Profile}
    for owner, class_ in owners.items():
        if spec.scope not in (owner, "both"):
            continue
        noted = map(get_annotations, class_.__mro__)
        if hasattr(class_, spec.name) or any(spec.name in names for names in noted):
            return f"{class_.__name__} has an attribute {spec.name!r}, so it needs another name"
    return ""
