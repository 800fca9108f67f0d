"""Gives runs distinct names where directories have the same name."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def distinct_run_names(runs: Sequence[tuple[str, str]]) -> list[str]:
    """Return a name for each run; a name of several directories gets more of their paths.

    Parameters
    ----------
    runs : sequence of (str, str)
        Name of each run, and its directory as an absolute path with slashes; empty if the caller
        defines the run.

    Returns
    -------
    list of str
        In the same order. Directories with equal names get the shortest ends of their paths that
        are distinct from each other and from other names.
    """
    homes: dict[str, dict[str, None]] = defaultdict(dict)
    for name, home in runs:
        homes[name][home] = None
    named: dict[tuple[str, str], str] = {}
    for name, found in homes.items():
        if len(found) == 1:
            named.update({(name, home): name for home in found})
            continue
        others = {other for other in homes if other != name} | set(named.values())
        ends = _ends(list(found), others)
        named.update({(name, home): end for home, end in zip(found, ends, strict=True)})
    return [named[one] for one in runs]


def _ends(homes: Sequence[str], taken: set[str]) -> list[str]:
    """Return the shortest ends of paths that differ from each other and from used names."""
    paths = [[part for part in home.split("/") if part] for home in homes]
    for length in range(1, max(map(len, paths)) + 1):
        ends = ["/".join(parts[-length:]) for parts in paths]
        if len(set(ends)) == len(ends) and not taken & set(ends):
            return ends
    return list(homes)
