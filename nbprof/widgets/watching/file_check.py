"""`FileCheck`: counts the files that differ from those found, once they are no longer written."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nbprof.sources.discovery.source_listing import list_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nbprof.sources.discovery.listing import Listing
    from nbprof.widgets.session.profile_source import Readable

#: Sources that take longer to list are not checked, since the check would delay other requests.
SLOWEST_SECONDS: Final = 1.0

#: Checks that are closer together count as one, since writing may pause for a moment.
APART_SECONDS: Final = 0.4


class Changes(NamedTuple):
    """Numbers of files that differ from those found.

    Attributes
    ----------
    new, changed, gone : int
        Files that were equal in two checks in a row.
    settling : int
        Other files that differ.
    """

    new: int = 0
    changed: int = 0
    gone: int = 0
    settling: int = 0

    @property
    def any(self) -> bool:
        """Whether a refresh would show something else."""
        return self.new + self.changed + self.gone > 0

    @property
    def words(self) -> str:
        """The numbers in words, such as "2 new files"; empty for none."""
        counts = {"new": self.new, "changed": self.changed, "deleted": self.gone}
        some = {word: count for word, count in counts.items() if count}
        if not some:
            return ""
        files = "file" if list(some.values())[-1] == 1 else "files"
        return ", ".join(f"{count} {word}" for word, count in some.items()) + f" {files}"


NO_CHANGES: Final = Changes()


class FileCheck:
    """Compares what a source lists now with what it listed when it was searched.

    Attributes
    ----------
    watched : bool
        Whether the view checks and refreshes by itself; the browser then need not ask.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._looks: list[Listing] = []  # the last two, the latest last
        self._time = 0.0
        #: Listing for which a search failed, which need not be repeated.
        self._failed: Listing | None = None
        self.watched = False

    def changes(self, source: Any, known: Listing | None) -> Changes | None:
        """Compare the files of a source with a listing.

        Parameters
        ----------
        source : path, glob, list of paths, or dict of rank to path
            The source to list.
        known : Listing or None
            The listing of the last search; None without one, or if the source cannot be searched.

        Returns
        -------
        Changes or None
            None if listing the source takes too long.
        """
        with self._lock:
            known = known if self._failed is None else self._failed
            if source is None or known is None:
                return None
            if max(one.seconds for one in (known, *self._looks)) > SLOWEST_SECONDS:
                return None
            if not self._looks or time.monotonic() - self._time >= APART_SECONDS:
                self._looks = [*self._looks[-1:], list_source(source)]
                self._time = time.monotonic()
            before = self._looks[0].files if len(self._looks) > 1 else None
            return _difference(known.files, before, self._looks[-1].files)

    def refresh(self, readable: Readable) -> None:
        """Search for files again."""
        with self.refreshing(readable._source):  # noqa: SLF001 - of this package
            readable.refresh()

    @contextmanager
    def refreshing(self, source: Any) -> Iterator[None]:
        """Forget earlier checks after a search; after a failed one, remember what it failed on."""
        try:
            yield
        except Exception:
            with self._lock:
                self._failed = self._looks[-1] if self._looks else list_source(source)
                self._looks = []
            raise
        with self._lock:
            self._failed = None
            self._looks = []


def _difference(
    known: Mapping[str, tuple[int, int]],
    before: Mapping[str, tuple[int, int]] | None,
    now: Mapping[str, tuple[int, int]],
) -> Changes:
    counts = {"new": 0, "changed": 0, "gone": 0, "settling": 0}
    for path in {**known, **now}:
        was, is_ = known.get(path), now.get(path)
        if was == is_:
            continue
        if before is None or before.get(path) != is_:
            counts["settling"] += 1
        else:
            counts["new" if was is None else "gone" if is_ is None else "changed"] += 1
    return Changes(**counts)
