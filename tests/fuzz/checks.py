"""What must hold for every case: what may be raised, warned, printed and left behind."""

from __future__ import annotations

import gc
import os
import re
import threading
import time
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.errors import NbprofError, NbprofWarning

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What a terminal obeys in place of showing it.
CONTROLS: Final = re.compile(
    "[\0-\x08\v-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff]"
)

#: Seconds in which threads and processes that were told to end do so.
PATIENCE: Final = 10.0

#: How a warning begins that ipywidgets 8.1.0 gets from newer traitlets; nbprof has no part in it.
AMONG_OTHERS: Final = "Deprecated in traitlets 4.1, use the instance .metadata"

_PACKAGE: Final = f"{os.sep}nbprof{os.sep}"


@dataclass(frozen=True)
class Failure:
    """Something that a case must not do.

    Attributes
    ----------
    use : str
        What was done.
    kind : str
        The class of the failure; failures of one kind have one cause.
    text : str
        All that is known.
    """

    use: str
    kind: str
    text: str


@dataclass
class Report:
    """Collects the failures of a case."""

    failures: list[Failure] = field(default_factory=list)

    def add(self, use: str, kind: str, text: str) -> None:
        self.failures.append(Failure(use, kind, text[-4000:]))

    def raised(self, use: str, error: BaseException) -> None:
        """Note an exception that no user should see."""
        said = "".join(traceback.format_exception(error))
        self.add(use, f"{type(error).__name__} {place_of(error)}", said)

    def text(self, use: str, text: str) -> None:
        """Note a text for people that holds control characters."""
        found = CONTROLS.search(text)
        if found:
            around = text[max(found.start() - 60, 0) : found.end() + 60]
            self.add(use, f"control character in {use.split(maxsplit=1)[0]}", repr(around))

    @contextmanager
    def of(self, use: str, *allowed: type[BaseException]) -> Iterator[None]:
        """Note what is wrong about what is done inside.

        Parameters
        ----------
        use : str
            What is done.
        *allowed : type
            Documented exceptions besides those of nbprof.
        """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.filterwarnings("ignore", AMONG_OTHERS, DeprecationWarning)
            try:
                yield
            except (NbprofError, *allowed) as error:
                self.text(use, str(error))
            except Exception as error:  # noqa: BLE001 - this is what is looked for
                self.raised(use, error)
        for one in caught:
            if not issubclass(one.category, NbprofWarning):
                where = f"{Path(one.filename).name}:{one.lineno}"
                kind = f"{one.category.__name__} {where}"
                self.add(use, kind, f"{one.message} in {one.filename}:{one.lineno}")
            self.text(use, str(one.message))


def place_of(error: BaseException) -> str:
    """Return the innermost function of nbprof that an exception went through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [
        frame for frame in frames if _PACKAGE in frame.filename and "tests" not in frame.filename
    ]
    if not own:
        return "outside"
    last = own[-1]
    return f"{last.filename.rpartition(_PACKAGE)[2]}:{last.name}"


@dataclass(frozen=True)
class Belongings:
    """What a process holds: open files, threads and children."""

    files: tuple[str, ...]
    threads: tuple[str, ...]
    children: tuple[str, ...]

    @classmethod
    def after(cls, before: Belongings) -> Belongings:
        """Return them once garbage is collected and threads that were told to end have ended."""
        end = time.monotonic() + PATIENCE
        found = cls.now()
        if found.exceeds(before):
            gc.collect()  # takes longer than many a case
            found = cls.now()
        while found.exceeds(before) and time.monotonic() < end:
            time.sleep(0.02)
            found = cls.now()
        return found

    @classmethod
    def now(cls) -> Belongings:
        """Return them as they are."""
        tasks = Path("/proc/self/task")
        children: list[str] = []
        files: list[str] = []
        if tasks.is_dir():
            files = sorted(filter(None, map(_target, Path("/proc/self/fd").iterdir())))
            for task in tasks.iterdir():
                with suppress(OSError):  # a thread may end meanwhile
                    children += (task / "children").read_text().split()
        threads = sorted(thread.name for thread in threading.enumerate())
        return cls(tuple(files), tuple(threads), tuple(children))

    def exceeds(self, before: Belongings) -> bool:
        """Return whether there is something that was not there before."""
        return any(Counter(now) - Counter(then) for now, then in zip(self, before, strict=True))

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        """Iterate over the three kinds."""
        return iter((self.files, self.threads, self.children))


def _target(descriptor: Path) -> str:
    """Return what a descriptor is open on; empty for that of the listing itself."""
    try:
        return str(descriptor.readlink())
    except OSError:
        return ""


def all_paths(folder: Path) -> set[str]:
    """Return the paths of everything below a folder, relative to it."""
    found: set[str] = set()
    for where, folders, files in os.walk(folder):
        found.update(os.path.relpath(os.path.join(where, one), folder) for one in folders + files)  # noqa: PTH118 - names of files need not be text
    return found


def check_leftovers(report: Report, use: str, before: Any, after: Any) -> None:
    """Note what is there after a case and was not before."""
    if isinstance(before, Belongings):
        for name in ("files", "threads", "children"):
            old, new = getattr(before, name), getattr(after, name)
            more = Counter(new) - Counter(old)
            if more:
                report.add(use, f"leftover {name}", f"{name}: {dict(more)}")
    elif after - before:
        report.add(use, f"leftover {use}", repr(sorted(after - before))[:500])
