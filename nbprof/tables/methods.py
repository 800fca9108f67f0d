"""Makes methods of traces and profiles from table specifications, with signature and docstring.

``docs/generate.py`` writes the methods of nbprof's own tables to modules, for type checkers and
editors. Methods of extensions' tables are made on attribute access.
"""

from __future__ import annotations

import textwrap
from abc import ABC, abstractmethod
from inspect import Parameter, Signature
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias

from nbprof.model.contract.spec import Option
from nbprof.model.errors import UnknownNameError
from nbprof.model.filters.filter import NO_FILTER
from nbprof.model.reprs import did_you_mean
from nbprof.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa

    from nbprof.model.contract.spec import TableSpec

#: The class that has the method.
Owner: TypeAlias = Literal["trace", "profile"]

RUN: Final = Option("run", None, "The run; by default the first.", annotation="str | None")
SPAN: Final = Option("span", None, "Only this span of the workers.", annotation="int | None")
WORKERS: Final = Option(
    "workers",
    None,
    "Only these workers, instead of those of the filter.",
    annotation="str | Sequence[str] | None",
)
#: Parameters that select the traces of a profile that a table covers.
TRACE_OPTIONS: Final = (RUN, SPAN, WORKERS)

FILTER: Final = Option(
    "filter_", NO_FILTER, "The filter for the rows, which may include workers.", annotation="Filter"
)

_OVER_WORKERS: Final = (
    "The first columns are the run, worker and span. Parameters and errors are those of `table`."
)


class TableMethods(ABC):
    """Base of classes with tables as methods; finds the tables of extensions by name."""

    #: Whose tables these are.
    _owner: ClassVar[Owner]

    @abstractmethod
    def _table(self, name: str, **options: Any) -> pa.Table:
        """Return a table; called by the table's method."""

    def __dir__(self) -> Iterable[str]:
        """List attributes, including the methods of extensions."""
        others = (TABLES.get(name) for name in TABLES if not TABLES.is_own(name))
        return [*super().__dir__(), *(s.name for s in others if s and has(self._owner, s))]

    if not TYPE_CHECKING:  # otherwise every misspelt name would be taken for an extension's table

        def __getattr__(self, name: str) -> Any:
            """Return the method of an extension's table."""
            known = name.startswith("_") or hasattr(type(self), name)
            spec = None if known else TABLES.get(name)
            if spec is None:
                return object.__getattribute__(self, name)  # raises the same error as Python
            if not has(self._owner, spec):
                message = f"A {self._owner} has no table {name!r}. {_other_owner(spec)}"
                raise AttributeError(message, name=name, obj=self)
            return MethodType(method(self._owner, spec), self)


def table_spec(owner: Owner, name: str) -> TableSpec:
    """Return the spec of a table of traces, or of profiles.

    Raises
    ------
    UnknownNameError
        There is no such table; the message names the closest one, or the class that has it.
    """
    spec = TABLES.get(name)
    if spec is None or not has(owner, spec):
        known = [s.name for s in TABLES.specs() if has(owner, s)]
        hint = did_you_mean(name, known) if spec is None else f" {_other_owner(spec)}"
        message = f"A {owner} has no table {name!r}; it has {', '.join(known)}.{hint}"
        raise UnknownNameError(message)
    return spec


def _other_owner(spec: TableSpec) -> str:
    call = f"profile.{spec.name}()" if spec.scope == "profile" else f"profile.trace().{spec.name}()"
    return f"`{call}` returns it{'' if spec.scope == 'profile' else ' of one trace'}."


def has(owner: Owner, spec: TableSpec) -> bool:
    """Whether traces, or profiles, have a table."""
    return spec.scope in (owner, "both")


def parameters(owner: Owner, spec: TableSpec) -> list[tuple[Option, Any]]:
    """Return the parameters of the method, by their kind in `inspect.Parameter`."""
    if owner == "trace":
        return [(option, Parameter.POSITIONAL_OR_KEYWORD) for option in spec.all_options]
    options = TRACE_OPTIONS if spec.scope == "both" else spec.all_options
    first = [option for option in options if option is RUN] + [FILTER] * spec.filtered
    return [
        *((option, Parameter.POSITIONAL_OR_KEYWORD) for option in first),
        *((option, Parameter.KEYWORD_ONLY) for option in options if option is not RUN),
    ]


def docstring(owner: Owner, spec: TableSpec) -> str:
    """Return the docstring of the method, without indentation."""
    if owner == "profile" and spec.scope == "both":
        parts = [f"Return ``{spec.name}`` of all workers and spans of a run.", _OVER_WORKERS]
    else:
        first = f"Return {spec.summary} (table ``{spec.name}``)."
        parts = [first if len(first) < 90 else f"Return {spec.summary}.", spec.all_notes]
        if owner == "trace":
            parts.append(_section(spec.all_options))
        elif spec.all_options:
            parts.append("Parameters and errors are those of `table`.")
    filled = (part if "\n" in part else textwrap.fill(part, 92) for part in parts if part)
    return "\n\n".join(filled)


def method(owner: Owner, spec: TableSpec) -> Callable[..., pa.Table]:
    """Return a function that becomes the method of a table."""
    methods = [
        Parameter(option.name, kind, default=option.default, annotation=option.static_type)
        for option, kind in parameters(owner, spec)
    ]
    itself = Parameter("self", Parameter.POSITIONAL_ONLY)
    signature = Signature([itself, *methods], return_annotation="pa.Table")

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
    """Return the parameters section of a docstring; empty without parameters."""
    lines = ["Parameters", "----------"]
    for option in options:
        choices = ", ".join(f'"{choice}"' for choice in option.choices)
        lines.append(f"{option.name} : {f'{{{choices}}}' if choices else option.static_type}")
        lines += textwrap.wrap(option.help, 88, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines) if options else ""
