"""`TableSpec`: declares a table; its method, command and documentation derive from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import pyarrow as pa

from nbprof.model.errors import UnknownNameError
from nbprof.model.reprs import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nbprof.model.contract.columns import Columns
    from nbprof.model.trace.model import TraceModel

#: What a table is of: one trace, one trace or all workers of a run, or a profile as a whole.
Scope: TypeAlias = Literal["trace", "both", "profile"]


@dataclass(frozen=True)
class Option:
    """An argument of a table, beside the filter.

    Parameters
    ----------
    name : str
        Keyword of the function and the method; on the command line ``--name``.
    default : object
        What it is where nothing is given.
    help : str
        A sentence for docstrings and the command line.
    choices : tuple of str, optional
        All values there are; without them any value of `type` is taken.
    type : type, optional
        What a value on the command line is converted to.
    annotation : str, optional
        Static type, by default that of the choices or of `type`.
    on_command_line : bool, optional
        Whether the command line takes it.
    """

    name: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    type: Callable[[str], Any] = str
    annotation: str = ""
    on_command_line: bool = True

    @property
    def flag(self) -> str:
        """What it is called on the command line."""
        return f"--{self.name.replace('_', '-')}"

    def check(self, table: str, value: object) -> None:
        """Check a value that a table is asked for with.

        Raises
        ------
        TypeError
            A number is needed.
        UnknownNameError
            It is none of the choices.
        """
        if self.choices and value not in self.choices:
            known = ", ".join(self.choices)
            what = "grouping" if self.name == "group_by" else self.name
            hint = did_you_mean(value, self.choices)
            message = f"{table}: there is no {what} {value!r}; there are {known}.{hint}"
            raise UnknownNameError(message)
        numbers = self.type in (int, float) and not self.annotation
        if numbers and (isinstance(value, bool) or not isinstance(value, (int, float))):
            message = f"{table}: {self.name} is a number, not {value!r}."
            raise TypeError(message)

    @property
    def static_type(self) -> str:
        """The annotation of the argument in a signature."""
        if self.annotation:
            return self.annotation
        if self.choices:
            return f"Literal[{', '.join(map(repr, self.choices))}]"
        return self.type.__name__


@dataclass(frozen=True)
class TableSpec:
    """A table: what it is called and means, and the function that makes it.

    Parameters
    ----------
    name : str
        The name of the method, of the table on the command line, and in exports.
    summary : str
        What a row or the table is, as it goes on after "Return": ``"the time of every step"``.
    columns : tuple of Column
        All columns, keys of groupings among them.
    make : callable
        Returns the table. Of a trace ``make(model, filter, **options)``; of a profile
        ``make(profile, filter, **options)``.
    notes : str, optional
        More about it, for docstrings and documentation.
    scope : {"trace", "both", "profile"}, optional
        Whether it is of one trace, can be asked of all workers of a run as well, or is of a profile
        only.
    groupings : mapping of str to tuple of str, optional
        Values of the option ``group_by``, the default first, and the columns that tell their rows
        apart.
    grouping_help : str, optional
        What the docstring says of ``group_by``.
    options : tuple of Option, optional
        Further options.
    keys : tuple of str, optional
        The columns that tell rows apart, where there are no groupings.
    sort : tuple of str, optional
        Columns to sort by at first, largest first; the first that holds anything counts. Without
        them rows stay in the order in which they are made.
    sums : tuple of str, optional
        Columns that may be added up over rows.
    nouns : (str, str), optional
        What one row and several rows are called.
    needs : str, optional
        The kind of data that a trace must contain for the table to have rows, a key of
        `nbprof.model.trace.dialect.PLAIN_HINTS`; where it is missing, that hint explains why the
        table is empty.
    empty_texts : mapping of str to str, optional
        Sentences that explain why the table is empty without a filter, by the kind of data that the
        trace does contain; an empty key applies to every trace.
    filtered : bool, optional
        Whether a filter changes it.
    warns_if_empty : bool, optional
        Whether a warning tells that only the filter leaves no rows.
    extra_columns : tuple of Column, optional
        Columns that the table has of some recordings only.
    columns_for : callable, optional
        Returns the columns under given options, where they differ in more than the keys of the
        grouping; None where the recording decides their names.
    trace_arguments : tuple of str, optional
        Attributes of the trace that the function takes, too.
    parts_table : str, optional
        The table of what was recorded inside its rows. Its column ``operator`` has their names, and
        in the grouping ``name+shape`` ``input_shapes`` their inputs.
    step_parts : str, optional
        The function, as ``"module:function"``, that returns what each step adds to the table, so
        that pages without Python can filter it by steps and names: ``function(model, table,
        group_by, filter)`` returns `nbprof.analysis.steps.step_parts.StepParts`, or None where the
        table does not add up over steps.
    lacks_times : callable, optional
        ``lacks_times(model)`` returns whether the recording has no times for the rows, so that a
        filter keeps them by name and kind only.
    """

    registry: ClassVar[str] = "nbprof.tables:TABLES"

    name: str
    summary: str
    columns: Columns
    make: Callable[..., pa.Table]
    notes: str = ""
    scope: Scope = "trace"
    groupings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    grouping_help: str = "What makes a row."
    options: tuple[Option, ...] = ()
    keys: tuple[str, ...] = ()
    sort: tuple[str, ...] = ()
    sums: tuple[str, ...] = ()
    nouns: tuple[str, str] = ("row", "rows")
    needs: str = ""
    empty_texts: Mapping[str, str] = field(default_factory=dict)
    filtered: bool = True
    warns_if_empty: bool = True
    extra_columns: Columns = ()
    columns_for: Callable[..., Columns | None] | None = None
    trace_arguments: tuple[str, ...] = ()
    parts_table: str = ""
    step_parts: str = ""
    lacks_times: Callable[[TraceModel], bool] | None = None

    @property
    def all_options(self) -> tuple[Option, ...]:
        """Every option, ``group_by`` first where the table can be grouped."""
        if not self.groupings:
            return self.options
        ways = tuple(self.groupings)
        grouping = Option("group_by", ways[0], self.grouping_help, choices=ways)
        return (grouping, *self.options)

    @property
    def all_columns(self) -> Columns:
        """Every column that the table may have, those of some recordings last."""
        known = {column.name for column in self.columns}
        return (*self.columns, *(c for c in self.extra_columns if c.name not in known))

    def columns_under(self, **options: Any) -> Columns | None:
        """Return the columns that the table has under some options of its own.

        Returns
        -------
        tuple of Column or None
            None where their names depend on the recording.
        """
        if self.columns_for is not None:
            return self.columns_for(**options)
        if not self.groupings:
            return self.columns
        keys = {key for group in self.groupings.values() for key in group}
        wanted = self.row_keys(options.get("group_by", ""))
        return tuple(c for c in self.columns if c.name not in keys or c.name in wanted)

    def checked_options(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return options that the table has, with values that they can have.

        Raises
        ------
        TypeError
            The table has no such option, or the option is a number and the value is none.
        UnknownNameError
            The value is none of the choices of the option.
        """
        known = {option.name: option for option in self.all_options}
        for name, value in options.items():
            if name not in known:
                has = f"it has {', '.join(known)}" if known else "it has none"
                hint = did_you_mean(name, known)
                message = f"The table {self.name!r} has no option {name!r}; {has}.{hint}"
                raise TypeError(message)
            known[name].check(self.name, value)
        return options

    def finished(self, made: Any) -> pa.Table:
        """Return what `make` returned, with the units and meanings that its columns lack.

        Raises
        ------
        TypeError
            It is no Arrow table.
        """
        if not isinstance(made, pa.Table):
            message = f"The table {self.name!r} must be a pyarrow.Table, not {made!r}."
            raise TypeError(message)
        if all(column.metadata for column in made.schema):
            return made
        known = {column.name: column.field for column in self.all_columns}
        fields = [f if f.metadata else known.get(f.name, f) for f in made.schema]
        return made.cast(pa.schema(fields, made.schema.metadata))

    def row_keys(self, group_by: str = "") -> tuple[str, ...]:
        """Return the columns that tell rows apart under a grouping, the default for none."""
        if not self.groupings:
            return self.keys
        return self.groupings[group_by or next(iter(self.groupings))]
