"""`list_source`: lists the sizes and versions of a source's files now, without opening any."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from nbprof.sources.discovery.file_version import size_and_version
from nbprof.sources.discovery.listing import Listing
from nbprof.sources.discovery.search import Search
from nbprof.sources.live.live_source import LiveSource

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nbprof.sources.discovery.directories import Candidate
    from nbprof.sources.discovery.search import Source


def list_source(source: Source) -> Listing:
    """Search a source by file names only, and return its current listing.

    That of a profiler object is empty: asking the object for its recording takes long.
    """
    if isinstance(source, LiveSource):
        return Listing()
    began = time.monotonic()
    search = Search()
    search.run(source)
    return listing_of(search.candidates, began)


def listing_of(candidates: Iterable[Candidate], began: float) -> Listing:
    """Return the listing of files that a search has found.

    Parameters
    ----------
    candidates : iterable of Candidate
        The files.
    began : float
        When the search began, by `time.monotonic`.
    """
    found = ((str(one.path), _version(one)) for one in candidates)
    files = {path: version for path, version in found if version is not None}
    return Listing(files, time.monotonic() - began)


def _version(one: Candidate) -> tuple[int, int] | None:
    try:
        return size_and_version(one, listed=True)
    except OSError:  # deleted since it was listed
        return None
