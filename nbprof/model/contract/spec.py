"""`TableSpec`: declares a table; its method, command and documentation derive from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias

import pyarrow as pa

from nbprof.model.errors import UnknownNameError
from nbprof.model.reprs import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nbprof.model.contract.columns import Columns
    from nbprof.model.trace.model import TraceModel

#: Scope of a table: one trace, one trace or all workers of a run, or a whole profile.
Scope: TypeAlias = Literal["trace", "both", "profile"]


_WHOLE_DEVICES: Final = (
    "It is about all work of the devices: the filter's steps, time and devices apply, and its name,"
    " within, kinds, threads and streams do not."
)


@dataclass(frozen=True)
class Option:
    """An argument of a table in addition to the filter.

    Parameters
    ----------
    name : str
        Keyword of the function and the method; on the command line ``--name``.
    default : object
        Value if the argument is not given.
    help : str
        A sentence for docstrings and the command line.
    choices : tuple of str, optional
        The valid values; by default, every value of `type` is valid.
    type : type, optional
        Type that values on the command line are converted to.
    annotation : str, optional
        Type annotation in signatures; by default derived from `choices` or `type`.
    on_command_line : bool, optional
        Whether the command line has this option.
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
        """The option on the command line, such as ``--min-us``."""
        return f"--{self.name.replace('_', '-')}"

    def check(self, table: str, value: object) -> None:
        """Check a value of the argument.

        Raises
        ------
        TypeError
            The value has to be a number and is not.
        UnknownNameError
            The value is not one of the choices.
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
    """A table: its name and meaning, and the function that computes it.

    Parameters
    ----------
    name : str
        The name of the method, of the table on the command line, and in exports.
    summary : str
        Phrase that completes "Return …", such as ``"the time of every step"``.
    columns : tuple of Column
        All columns, including the keys of groupings.
    make : callable
        Returns the table: ``make(model, filter, **options)`` for a trace, ``make(profile, filter,
        **options)`` for a profile.
    notes : str, optional
        Further sentences for docstrings and documentation.
    scope : {"trace", "both", "profile"}, optional
        Whether the table exists for one trace, for one trace and for all workers of a run, or only
        for a profile.
    groupings : mapping of str to tuple of str, optional
        Values of the option ``group_by``, the default first, with the key columns of each.
    grouping_help : str, optional
        Description of ``group_by`` in the docstring.
    options : tuple of Option, optional
        Further options.
    keys : tuple of str, optional
        Key columns of a table without groupings.
    sort : tuple of str, optional
        Columns for the initial sort order in views, largest first; the first one with any value is
        used. By default, rows stay in the order of `make`.
    sums : tuple of str, optional
        Columns whose sum over rows is meaningful.
    nouns : (str, str), optional
        Name of a row, in singular and plural.
    needs : str, optional
        The kind of data that a trace must contain for the table to have rows, a key of
        `nbprof.model.trace.dialect.PLAIN_HINTS`; where it is missing, that hint explains why the
        table is empty.
    empty_texts : mapping of str to str, optional
        Sentences that explain why the table is empty without a filter, by the kind of data that the
        trace does contain; an empty key applies to every trace.
    filtered : bool, optional
        Whether the table depends on the filter.
    warns_if_empty : bool, optional
        Whether to warn if the table is empty only because of the filter.
    whole_devices : bool, optional
        Whether the table is about all work of devices: the fields of the filter that choose rows
        do not apply, and its metadata says so.
    extra_columns : tuple of Column, optional
        Columns that exist only for some recordings.
    columns_for : callable, optional
        Returns the columns under given options, if these change more than the key columns; None if
        column names depend on the recording.
    trace_arguments : tuple of str, optional
        Attributes of the trace that are passed to `make` as well.
    parts_table : str, optional
        Name of the table with the parts of each row. Its column ``operator`` refers to the names
        of the rows and, in the grouping ``name+shape``, ``input_shapes`` to their inputs.
    step_parts : str, optional
        The function, as ``"module:function"``, that returns the contribution of each step to the
        table, so that pages without Python can filter by steps and names: ``function(model, table,
        group_by, filter)`` returns `nbprof.analysis.steps.step_parts.StepParts`, or None if the
        table is not a sum over steps.
    layouts : mapping of str to str, optional
        Other layouts of the table as text, by name: functions as ``"module:function"``, called with
        the trace, the maximum number of rows or None, and the options.
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
    whole_devices: bool = False
    extra_columns: Columns = ()
    columns_for: Callable[..., Columns | None] | None = None
    trace_arguments: tuple[str, ...] = ()
    parts_table: str = ""
    step_parts: str = ""
    layouts: Mapping[str, str] = field(default_factory=dict)
    lacks_times: Callable[[TraceModel], bool] | None = None

    @property
    def all_notes(self) -> str:
        """The notes, and whether the filter applies in part."""
        return f"{self.notes} {_WHOLE_DEVICES}".strip() if self.whole_devices else self.notes

    @property
    def all_options(self) -> tuple[Option, ...]:
        """All options; ``group_by`` comes first if the table has groupings."""
        if not self.groupings:
            return self.options
        groupings = tuple(self.groupings)
        grouping = Option("group_by", groupings[0], self.grouping_help, choices=groupings)
        return (grouping, *self.options)

    @property
    def all_columns(self) -> Columns:
        """All columns that the table may have, those of only some recordings last."""
        known = {column.name for column in self.columns}
        return (*self.columns, *(c for c in self.extra_columns if c.name not in known))

    def columns_under(self, **options: Any) -> Columns | None:
        """Return the columns of the table under given options.

        Returns
        -------
        tuple of Column or None
            None if their names depend on the recording.
        """
        if self.columns_for is not None:
            return self.columns_for(**options)
        if not self.groupings:
            return self.columns
        keys = {key for group in self.groupings.values() for key in group}
        wanted = self.row_keys(options.get("group_by", ""))
        return tuple(c for c in self.columns if c.name not in keys or c.name in wanted)

    def checked_options(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Check the names and values of options, and return them.

        Raises
        ------
        TypeError
            The table has no such option, or the value has to be a number and is not.
        UnknownNameError
            The value is not one of the choices of the option.
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
        """Return the result of `make`, adding units and meanings that its columns lack.

        Raises
        ------
        TypeError
            The result is not an Arrow table.
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
        """Return the key columns of a grouping, by default of the first."""
        if not self.groupings:
            return self.keys
        return self.groupings[group_by or next(iter(self.groupings))]
