"""Registries of tables, views and recorders: built-in, from entry points, and registered."""

from __future__ import annotations

import re
import sys
import threading
import warnings
from contextlib import suppress
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Protocol, TypeVar

from nbprof.model.errors import ExtensionWarning, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


#: Names of extensions become keywords, flags and parts of ids in HTML.
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")


class Spec(Protocol):
    """An object with a name, whose class names its registry."""

    #: The registry of all objects of this class, as ``"module:ATTRIBUTE"``.
    registry: ClassVar[str]

    @property
    def name(self) -> str:
        """The name that it is registered under."""


T = TypeVar("T")
SpecT = TypeVar("SpecT", bound=Spec)


class Registry(Generic[SpecT]):
    """Objects of one kind by name; each is imported on first use.

    nbprof's own come first, in the order of the documentation, then those of installed packages
    (entry points), then those that were registered in this process. An extension that cannot be
    loaded gives one `ExtensionWarning` and is left out afterwards.

    Parameters
    ----------
    kind : str
        Noun for the objects in messages, such as ``"table"``.
    group : str
        Group of entry points in which packages declare theirs, as ``name = "module:ATTRIBUTE"``.
    spec_type : str
        Class of the objects, as ``"module:ATTRIBUTE"``.
    own : mapping of str to str
        nbprof's own objects by name, as ``"module:ATTRIBUTE"``.
    conflict : str, optional
        Function, as ``"module:function"``, that returns why an object of an extension cannot have
        its name; empty if it can.
    """

    def __init__(
        self,
        kind: str,
        group: str,
        spec_type: str,
        own: Mapping[str, str],
        conflict: str = "",
    ) -> None:
        self._kind = kind
        self._group = group
        self._spec_type = spec_type
        self._own = dict(own)
        self._conflict = conflict
        self._lock = threading.RLock()
        self._entry_points: dict[str, EntryPoint] | None = None
        self._registered: dict[str, SpecT] = {}
        self._loaded: dict[str, SpecT] = {}
        self._broken: dict[str, str] = {}

    def names(self) -> tuple[str, ...]:
        """Return all names without importing the objects."""
        return tuple(dict.fromkeys((*self._own, *self._packaged(), *self._registered)))

    def __iter__(self) -> Iterator[str]:
        """Iterate over all names."""
        return iter(self.names())

    def __contains__(self, name: object) -> bool:
        """Return whether a name is registered, without importing the object."""
        return name in self._own or name in self._registered or name in self._packaged()

    def is_own(self, name: str) -> bool:
        """Return whether a name belongs to nbprof itself."""
        return name in self._own

    def described(self, name: str) -> str:
        """Return the kind and name of an object, and its package unless that is nbprof."""
        words = f"{self._kind} {name!r}"
        point = None if name in self._registered else self._packaged().get(name)
        return words if point is None else f"{words} of the package {_package(point)!r}"

    def get(self, name: str) -> SpecT | None:
        """Return the object of a name, None if there is none or it cannot be loaded."""
        if name in self._registered:
            return self._registered[name]
        if name not in self._loaded:
            if name in self._own:
                self._loaded[name] = imported(self._own[name])
            elif name in self._packaged():
                self._load_extension(name)
        return self._loaded.get(name)

    def __getitem__(self, name: str) -> SpecT:
        """Return the object of a name.

        Raises
        ------
        UnknownNameError
            There is none, or it cannot be loaded; the message lists the others.
        """
        found = self.get(name)
        if found is None:
            message = f"There is no {self._kind} {name!r}; there are {', '.join(self.names())}."
            raise UnknownNameError(self._broken.get(name, message))
        return found

    def specs(self) -> list[SpecT]:
        """Import and return all objects in order, except extensions that cannot be loaded."""
        found = (self.get(name) for name in self.names())
        return [spec for spec in found if spec is not None]

    def register(self, spec: SpecT) -> None:
        """Add an object for the rest of this process; it replaces an earlier one of its name.

        An object whose name cannot be used is left out with an `ExtensionWarning`.

        Raises
        ------
        ValueError
            The name belongs to an object of nbprof itself, or is invalid.
        """
        _check_name(spec.name)
        if self.is_own(spec.name):
            message = f"nbprof has a {self._kind} {spec.name!r} of its own. Choose another name."
            raise ValueError(message)
        if reason := self._conflict_of(spec):
            text = f"The {self._kind} {spec.name!r} cannot be used. {reason}."
            warnings.warn(text, ExtensionWarning, stacklevel=3)
            return
        with self._lock:
            self._registered = {**self._registered, spec.name: spec}

    def unregister(self, name: str) -> None:
        """Remove the object that was registered under a name.

        Raises
        ------
        UnknownNameError
            No object was registered under that name.
        """
        with self._lock:
            if name not in self._registered:
                there = f"; there are {', '.join(self._registered)}" if self._registered else ""
                message = f"No {self._kind} {name!r} was registered{there}."
                raise UnknownNameError(message)
            self._registered = {n: s for n, s in self._registered.items() if n != name}

    def _packaged(self) -> dict[str, EntryPoint]:
        """Return the entry points of installed packages by name, looked up once."""
        with self._lock:
            if self._entry_points is None:
                self._entry_points = {}
                for point in _entry_points().select(group=self._group):
                    self._add_entry_point(point, self._entry_points)
            return self._entry_points

    def _add_entry_point(self, point: EntryPoint, known: dict[str, EntryPoint]) -> None:
        if self.is_own(point.name):
            self._warn(point, f"nbprof has a {self._kind} of that name itself")
        elif point.name not in known:
            known[point.name] = point
        elif _package(known[point.name]) != _package(point):  # else it is on the path twice
            self._warn(point, f"{_package(known[point.name])} has a {self._kind} of that name, too")

    def _load_extension(self, name: str) -> None:
        """Load the object that a package declares; on failure warn and leave it out."""
        point = self._packaged()[name]
        try:
            spec = self._checked(point, point.load())
        except Exception as error:  # noqa: BLE001 - a broken extension must not break the rest
            with self._lock:
                remaining = {n: p for n, p in self._packaged().items() if n != name}
                first = len(remaining) < len(self._packaged())
                self._entry_points = remaining
            if first:  # of the threads that try at the same time
                self._broken[name] = self._warn(point, f"{type(error).__name__}: {error}")
        else:
            self._loaded[name] = spec

    def _checked(self, point: EntryPoint, spec: Any) -> SpecT:
        kind = imported(self._spec_type)
        if not isinstance(spec, kind):
            message = f"{point.value} is not a {kind.__name__}"
            raise TypeError(message)
        if spec.name != point.name:
            message = f"{point.value} has the name {spec.name!r}"
            raise ValueError(message)
        _check_name(spec.name)
        if reason := self._conflict_of(spec):
            raise ValueError(reason)
        checked: SpecT = spec
        return checked

    def _conflict_of(self, spec: SpecT) -> str:
        reason: str = imported(self._conflict)(spec) if self._conflict else ""
        return reason

    def _warn(self, point: EntryPoint, reason: str) -> str:
        of = f"The {self._kind} {point.name!r} of the package {_package(point)!r}"
        text = f"{of} cannot be used. {reason}."
        warnings.warn(text, ExtensionWarning, stacklevel=2)
        return text


#: The entry points of all packages, by the folders that they were looked for in.
_looked: dict[tuple[tuple[str, int], ...], Any] = {}


def _entry_points() -> Any:
    """Return the entry points of all packages, looked for anew only where a folder has changed."""
    folders = tuple((folder, _changed_ns(folder)) for folder in sys.path)
    found = _looked.get(folders)
    if found is None:
        found = entry_points()
        _looked.clear()
        _looked[folders] = found
    return found


def _changed_ns(folder: str) -> int:
    """Return when a folder got or lost an entry; 0 for what is no folder."""
    with suppress(OSError, TypeError, ValueError):
        return Path(folder).stat().st_mtime_ns
    return 0


def register(spec: Any) -> None:
    """Add a table, view, recorder or cost formula of your own for the rest of this process.

    It replaces an earlier object of the same name, so that a notebook cell can run again.

    Parameters
    ----------
    spec : TableSpec, ViewSpec, Recorder or CostFormula
        The object to add.

    Raises
    ------
    TypeError
        It is none of these.
    ValueError
        The name belongs to an object of nbprof itself.

    Warns
    -----
    ExtensionWarning
        The object cannot be used: a table has the name of another method of traces or profiles.

    Examples
    --------
    >>> import pyarrow as pa
    >>> columns = (nbprof.Column("steps", pa.int64(), "", "Number of steps."),)
    >>> def step_count(model, filter_):
    ...     return pa.table({"steps": [len(model.steps.number)]})
    >>> nbprof.register(nbprof.TableSpec("step_count", "the number of steps", columns, step_count))
    >>> nbprof.load("logs/").trace().step_count()["steps"].to_pylist()
    [6]
    """
    _registry_of(spec).register(spec)


def _registry_of(spec: Any) -> Registry[Any]:
    """Return the registry for an object.

    Raises
    ------
    TypeError
        Its class has none.
    """
    place = getattr(type(spec), "registry", None)
    if not isinstance(place, str):
        message = f"Pass a TableSpec, ViewSpec, Recorder or CostFormula, not {spec!r}."
        raise TypeError(message)
    registry: Registry[Any] = imported(place)
    return registry


def _check_name(name: Any) -> None:
    """Check the name of an extension.

    Raises
    ------
    ValueError
        It has other characters than letters, digits, ``_``, ``-`` and ``.``.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        message = f"A name may contain letters, digits, _, - and ., unlike {name!r}."
        raise ValueError(message)


def imported(place: str) -> Any:
    """Import and return the object that ``"module:ATTRIBUTE"`` names."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def resolved(found: T | str) -> T:
    """Return an object of a spec; if it is given as ``"module:ATTRIBUTE"``, import it.

    Specs name objects that are needed late or never in this form, so that they do not delay the
    first picture.
    """
    if isinstance(found, str):
        place: T = imported(found)
        return place
    return found


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value.partition(":")[0]
