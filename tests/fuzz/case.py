"""One case: a folder with a spoiled recording and a sound one, and some uses of it."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Final

import nbprof
from nbprof.cli import main
from nbprof.export.table_formats import FORMATS
from nbprof.model.errors import NbprofError
from nbprof.sources.cache import cache
from nbprof.tables import TABLES
from nbprof.tables.methods import has
from tests.fuzz import uses
from tests.fuzz.checks import Belongings, Report, all_paths, check_leftovers
from tests.fuzz.mutation.recording import spoiled, written
from tests.fuzz.seeds import NAMES, seed
from tests.support.traces import write
from tests.widgets.conftest import step_events

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fuzz.checks import Failure

#: The sound recording, beside the spoiled one.
NEIGHBOUR: Final = "logs/job/neighbour.1700000000001.pt.trace.json"

#: How many traces a recording has, if not one.
_PROCESSES: Final = {"kineto_merged": 3, "nsight_of_two": 2}

#: Tables of the neighbour that are compared in one case.
COMPARED: Final = 2


@dataclass
class Runner:
    """Runs cases one after another in a folder of its own.

    Parameters
    ----------
    home : Path
        Empty folder; a case leaves nothing in it.
    seed : int
        With its number, the seed of a case.
    """

    home: Path
    seed: int
    _alone: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def prepare(self) -> None:
        """Make the folders, and run what is loaded or started only once."""
        for name in ("tmp", "user", "cache", "cwd"):
            (self.home / name).mkdir(parents=True, exist_ok=True)
        alone, out = self.home / "alone", self.home / "out"
        out.mkdir()
        _write_neighbour(alone)
        profile = nbprof.load(alone / "logs" / "job", progress=False)
        trace = profile.trace()
        specs = [spec for spec in TABLES.specs() if has("trace", spec)]
        self._alone = {spec.name: trace.table(spec.name).to_pylist() for spec in specs}
        for number in range(40):
            uses.trace_table(Report(), trace, Random(number))
            if number % 4 == 0:
                uses.view(Report(), profile, out, Random(number))
        for form in FORMATS:
            main(["table", str(alone), "steps", "--format", form, "-o", str(out / "table")])
        for name in NAMES:
            _read_plain(name, alone / name)
        cache.finish()
        shutil.rmtree(alone)
        shutil.rmtree(out)

    def run(self, number: int) -> list[Failure]:
        """Run one case and return what went wrong."""
        chance = Random(f"{self.seed}/{number}")
        report = Report()
        folder, out = self.home / f"case{number}", self.home / "out"
        shutil.rmtree(folder, ignore_errors=True)
        out.mkdir(exist_ok=True)
        name = chance.choice(NAMES)
        written(spoiled(seed(name), chance), folder, chance)
        _write_neighbour(folder)
        places = [self.home / one for one in ("tmp", "user", "cwd")]
        there, mine = all_paths(folder), Belongings.now()
        before = [all_paths(place) for place in places]
        try:
            self._use(report, folder, out, chance)
        finally:
            cache.finish()
            shutil.rmtree(out, ignore_errors=True)
        check_leftovers(report, "beside the recording", there, all_paths(folder))
        for place, was in zip(places, before, strict=True):
            check_leftovers(report, f"in {place.name}", was, all_paths(place))
        check_leftovers(report, "process", mine, Belongings.after(mine))
        _remove(folder)
        return report.failures

    def _use(self, report: Report, folder: Path, out: Path, chance: Random) -> None:
        logs = folder / "logs"
        odd = [path for path in (logs / "job").iterdir() if not path.name.startswith("neighbour")]
        source = chance.choice((logs, logs, logs, logs / "job", *odd))
        if chance.random() < 0.12:
            uses.command(report, source, out, chance)
        profile = None
        with report.of("load"):
            keep = chance.random() < 0.5
            profile = nbprof.load(source, progress=False, cache=keep, strict=chance.random() < 0.05)
        if profile is None:
            return
        if chance.random() < 0.3:
            uses.texts(report, profile, chance)
        trace = None
        with report.of("trace"):
            trace = next(t for t in [*profile, None] if t is None or "neighbour" not in t.worker)
        if trace is not None:
            for _ in range(chance.choice((2, 3, 6))):
                uses.trace_table(report, trace, chance)
            if chance.random() < 0.1:
                uses.written_trace(report, trace, out, chance)
            uses.seldom(report, profile, trace, chance)
        if chance.random() < 0.5:
            uses.profile_table(report, profile, chance)
        if chance.random() < 0.3:
            uses.view(report, profile, out, chance)
        self._compare_neighbour(report, profile, chance)

    def _compare_neighbour(self, report: Report, profile: nbprof.Profile, chance: Random) -> None:
        """Check that the recording beside the spoiled one gives what it gives alone."""
        own = [trace for trace in profile if trace.worker == "neighbour"]
        for trace in own[:1]:
            for name in chance.sample(sorted(self._alone), COMPARED):
                with report.of(f"neighbour {name}"):
                    if trace.table(name).to_pylist() != self._alone[name]:
                        report.add(f"neighbour {name}", "harmed neighbour", name)
            name = chance.choice([s.name for s in TABLES.specs() if s.scope == "both"])
            with report.of(f"neighbour in profile.{name}"):
                try:
                    table = profile.table(name, run=trace.run)
                except NbprofError as error:
                    report.add(f"profile.{name}", "neighbour lost to the other", str(error))
                    return
                rows = [row for row in table.to_pylist() if row["worker"] == "neighbour"]
                wanted = self._alone[name]
                known = set(wanted[0]) if wanted else set()
                if [{k: v for k, v in row.items() if k in known} for row in rows] != wanted:
                    report.add(f"profile.{name}", "harmed neighbour in a profile", name)


def _read_plain(name: str, folder: Path) -> None:
    """Read a recording that is not spoiled: spoiling shows nothing where it cannot be read."""
    for path, content in seed(name).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content.encode())
    profile = nbprof.load(folder, progress=False)
    assert len(profile) == _PROCESSES.get(name, 1), name
    assert sum(
        profile.trace().model.tables[side].num_rows
        for side in ("host", "device", "memory", "memory_categories", "functions")
    ), name


def _write_neighbour(folder: Path) -> None:
    events = [event for at in (1, 2) for event in step_events(at, gpu=True, rich=True)]
    write(folder / NEIGHBOUR, events)


def _remove(folder: Path) -> None:
    """Remove a folder, whatever may be in it."""
    for where, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(where, name)  # noqa: PTH118 - names of files need not be text
            with contextlib.suppress(OSError):
                if not stat.S_ISLNK(os.lstat(path).st_mode):
                    os.chmod(path, 0o700)  # noqa: PTH101
    shutil.rmtree(folder)
