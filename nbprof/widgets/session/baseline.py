"""`Baseline`: names the trace that the one on screen is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.reprs import did_you_mean
from nbprof.widgets.requests.protocol import RequestError

if TYPE_CHECKING:
    from nbprof.widgets.session.profile_source import Readable

#: Value of `Baseline.source` for a trace of the other source of a comparison.
OTHER: Final = "baseline"

_KINDS: Final[Mapping[str, type]] = {
    "run": str,
    "worker": str,
    "span": int,
    "source": str,
    "workers": tuple,
    "candidates": tuple,
}


@dataclass(frozen=True)
class Baseline:
    """The trace that the one on screen is compared with.

    Parameters
    ----------
    run, worker : str
        Its run and worker; empty for the first.
    span : int
        Its span; 0 for the first.
    source : {"", "baseline"}
        Empty for a trace of the profile on screen, `OTHER` for one of the other source that was
        given for the comparison. The source itself stays in the session: what a browser or a page
        gets contains no path.
    workers, candidates : tuple of str
        Several workers of the baseline's run, and of the run on screen, whose means are compared;
        empty for the one worker of that side. `candidates` only counts while it has the worker on
        screen.
    """

    run: str = ""
    worker: str = ""
    span: int = 0
    source: str = ""
    workers: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()

    @classmethod
    def parse(cls, plain: object) -> Baseline | None:
        """Read the ``baseline`` of a state; None if it is missing or empty.

        Raises
        ------
        RequestError
            It is not an object with run, worker, span and source.
        """
        if not plain:
            return None
        if not isinstance(plain, Mapping):
            message = f"baseline: a dict of run, worker and span is required, not {plain!r}."
            raise RequestError(message)
        fields: dict[str, Any] = {
            name: tuple(of) if isinstance(of, list) else of for name, of in plain.items()
        }
        for field, value in fields.items():
            if field not in _KINDS:
                near = did_you_mean(str(field), _KINDS)
                message = f"baseline: there is no {field!r}; there is {', '.join(_KINDS)}.{near}"
                raise RequestError(message)
            of_names = isinstance(value, tuple) and all(isinstance(one, str) for one in value)
            fits = of_names if _KINDS[field] is tuple else isinstance(value, _KINDS[field])
            if not fits or isinstance(value, bool):
                message = f"baseline: there is no {field} {value!r}."
                raise RequestError(message)
        if plain.get("source") not in (None, "", OTHER):
            message = f"baseline: source is {OTHER!r} or missing, not {plain['source']!r}."
            raise RequestError(message)
        return cls(**fields)

    def plain(self) -> dict[str, Any]:
        """Return the fields as the trait holds them, without those that name nothing."""
        fields: dict[str, Any] = {"run": self.run, "worker": self.worker, "span": self.span}
        if self.source:
            fields["source"] = self.source
        for name, workers in (("workers", self.workers), ("candidates", self.candidates)):
            if workers:
                fields[name] = list(workers)
        return fields

    def settled(self, readable: Readable | None, worker: str = "") -> Baseline:
        """Return the baseline with missing names filled in from the traces that exist.

        Parameters
        ----------
        readable : Profile or OneTrace, optional
            The source; without one, nothing can be filled in.
        worker : str, optional
            The worker on screen, which is taken if the run has it and none is named.

        Raises
        ------
        RequestError
            There is no such trace.
        """
        files = list(readable.files) if readable is not None else []
        if not files:
            return self
        chosen = asdict(self)
        if self.workers and self.worker not in self.workers:
            chosen["worker"] = self.workers[0]
        for field, preferred in (("run", ""), ("worker", worker), ("span", 0)):
            known = list(dict.fromkeys(getattr(file, field) for file in files))
            name = chosen[field] or (preferred if preferred in known else known[0])
            if name not in known:
                near = did_you_mean(str(name), [str(one) for one in known])
                message = f"baseline: there is no {field} {name!r}.{near}"
                raise RequestError(message)
            chosen[field] = name
            files = [file for file in files if getattr(file, field) == name]
            if field == "run":
                there = {file.worker for file in files}
                chosen["workers"] = tuple(one for one in self.workers if one in there)
        return Baseline(**chosen)

    def compared(self, worker: str) -> tuple[str, ...]:
        """Return the workers that are compared where one is on screen, which is the first."""
        others = self.candidates if worker in self.candidates else ()
        return worker, *(one for one in others if one != worker)

    @property
    def label(self) -> str:
        """Run and worker, for headings."""
        return " · ".join(filter(None, (self.run, self.worker)))
