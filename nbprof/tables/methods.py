"""Methods of traces and profiles that return a table: signatures and docstrings from its spec.

Those of nbprof's own tables are written out by ``docs/generate.py``, for type checkers and editors;
those of extensions are made when they are asked for.
"""

from __future__ import annotations

import textwrap
from abc import ABC, abstractmethod
from inspect import Parameter, Signature
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias

from nbprof.model.contract.spec import Option
from nbprof.model.filters.filter import NO_FILTER
from nbprof.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa

    from nbprof.model.contract.spec import TableSpec

#: Who has the method.
Owner: TypeAlias = Literal["trace", "profile"]

RUN: Final = Option("run", None, "The run; the first by default.", annotation="str | None")
SPAN: Final = Option("span", None, "Only this span of the workers.", annotation="int | None")
WORKERS: Final = Option(
    "workers",
    None,
    "Only these workers, in place of those of the filter.",
    annotation="str | Sequence[str] | None",
)
#: Which traces of a profile a table is made of.
PLACES: Final = (RUN, SPAN, WORKERS)

FILTER: Final = Option(
    "filter_", NO_FILTER, "What the rows are narrowed to, workers included.", annotation="Filter"
)

_OVER_WORKERS: Final = (
    "The first columns are the run, worker and span. Parameters and errors are those of `table`."
)


class TableMethods(ABC):
    """What has tables as methods; those of extensions are found by their names."""

    #: What it is.
    _owner: ClassVar[Owner]

    @abstractmethod
    def _table(self, name: str, **options: Any) -> pa.Table:
        """Return a table; called by what the user called."""

    def __dir__(self) -> Iterable[str]:
        """List the methods of extensions, too."""
        others = (TABLES.get(name) for name in TABLES if not TABLES.is_own(name))
        return [*super().__dir__(), *(s.name for s in others if s and has(self._owner, s))]

    if not TYPE_CHECKING:  # else every misspelt name would pass for an extension

        def __getattr__(self, name: str) -> Any:
            """Return the method of an extension's table."""
            known = name.startswith("_") or hasattr(type(self), name)
            spec = None if known else TABLES.get(name)
            if spec is None or not has(self._owner, spec):
                return object.__getattribute__(self, name)  # which raises what Python would
            return MethodType(method(self._owner, spec), self)


def has(owner: Owner, spec: TableSpec) -> bool:
    """Whether traces, or profiles, have a table."""
    return spec.scope in (owner, "both")


def parameters(owner: Owner, spec: TableSpec) -> list[tuple[Option, Any]]:
    """Return the arguments of the method, each with its kind of `inspect.Parameter`."""
    if owner == "trace":
        return [(option, Parameter.POSITIONAL_OR_KEYWORD) for option in spec.all_options]
    options = PLACES if spec.scope == "both" else spec.all_options
    first = [option for option in options if option is RUN] + [FILTER] * spec.filtered
    return [
        *((option, Parameter.POSITIONAL_OR_KEYWORD) for option in first),
        *((option, Parameter.KEYWORD_ONLY) for option in options if option is not RUN),
    ]


def docstring(owner: Owner, spec: TableSpec) -> str:
    """Return the docstring of the method, its lines not indented."""
    if owner == "profile" and spec.scope == "both":
        parts = [f"Return ``{spec.name}`` of all workers and spans of a run.", _OVER_WORKERS]
    else:
        first = f"Return {spec.summary} (table ``{spec.name}``)."
        parts = [first if len(first) < 90 else f"Return {spec.summary}.", spec.notes]
        if owner == "trace":
            parts.append(_section(spec.all_options))
        elif spec.all_options:
            parts.append("Parameters and errors are those of `table`.")
    filled = (part if "\n" in part else textwrap.fill(part, 92) for part in parts if part)
    return "\n\n".join(filled)


def method(owner: Owner, spec: TableSpec) -> Callable[..., pa.Table]:
    """Return a function that serves as the method of a table."""
    found = [
        Parameter(option.name, kind, default=option.default, annotation=option.static_type)
        for option, kind in parameters(owner, spec)
    ]
    itself = Parameter("self", Parameter.POSITIONAL_ONLY)
    signature = Signature([itself, *found], return_annotation="pa.Table")

    def table(self: Any, /, *args: Any, **options: Any) -> pa.Table:
        given = signature.bind(self, *args, **options).arguments
        del given["self"]
        made: pa.Table = self._table(spec.name, **given)
        return made

    table.__name__ = table.__qualname__ = spec.name
    table.__doc__ = docstring(owner, spec)
    table.__signature__ = signature  # type: ignore[attr-defined]
    return table


def _section(options: tuple[Option, ...]) -> str:
    """Return the section of a docstring about its parameters, empty without any."""
    lines = ["Parameters", "----------"]
    for option in options:
        choices = ", ".join(f'"{choice}"' for choice in option.choices)
        lines.append(f"{option.name} : {f'{{{choices}}}' if choices else option.static_type}")
        lines += textwrap.wrap(option.help, 88, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines) if options else ""
