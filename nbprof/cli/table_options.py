"""Checks and converts the values of ``nbprof table`` options that only some tables have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.model.errors import UnknownNameError
from nbprof.registry import imported
from nbprof.tables import TABLES
from nbprof.tables.methods import has

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from nbprof.model.contract.spec import Option, TableSpec
    from nbprof.trace import Trace


class UsageError(UnknownNameError):
    """Raised when options are incompatible or name something that does not exist."""


def options_of(spec: TableSpec) -> dict[str, Option]:
    """Return the command line options of a table, by name."""
    if not has("trace", spec):
        return {}
    return {option.name: option for option in spec.all_options if option.on_command_line}


def has_all(spec: TableSpec) -> bool:
    """Return whether ``--all`` applies: not to tables of a single trace or of the files found."""
    return spec.scope == "both" or (spec.scope == "profile" and spec.filtered)


def given_options(
    args: argparse.Namespace, spec: TableSpec, known: Mapping[str, Mapping[str, str]]
) -> dict[str, Any]:
    """Return the options given on the command line, converted to the types of the table's options.

    Parameters
    ----------
    args : argparse.Namespace
        The command line.
    spec : TableSpec
        The table.
    known : mapping
        The options of all tables, see `nbprof.cli.table_help.options`.

    Raises
    ------
    UsageError
        The table does not have an option, or the option does not take the value.
    """
    own = options_of(spec)
    given = {}
    for name, tables in known.items():
        text = getattr(args, name)
        if text is None:
            continue
        if name not in own:
            flag = f"--{name.replace('_', '-')}"
            do = "does" if len(tables) == 1 else "do"
            message = f"{spec.name} takes no {flag}; {', '.join(tables)} {do}."
            raise UsageError(message)
        given[name] = _value(spec, own[name], text)
    return given


def _value(spec: TableSpec, option: Option, text: str) -> Any:
    if option.choices and text not in option.choices:
        only = ", ".join(option.choices)
        message = f"{spec.name} takes no {option.flag} {text!r}, only {only}."
        raise UsageError(message)
    try:
        return option.type(text)
    except ValueError as error:
        message = f"{option.flag} {text!r}: {error}."
        raise UsageError(message) from None


def help_text(option: Option) -> str:
    """Return the text about an option in the help of the command."""
    text = f"{option.help[0].lower()}{option.help[1:]}".rstrip(".")
    if option.choices:
        *first, last = option.choices
        text += f" ({', '.join(first)} or {last})" if first else f" ({last})"
    return text.replace("%", "%%")


def check_layout(args: argparse.Namespace, spec: TableSpec) -> None:
    """Check ``--layout`` and the options that have no meaning beside it.

    Raises
    ------
    UsageError
        The table has no such layout, or another option contradicts it.
    """
    if not args.layout:
        return
    if args.layout not in spec.layouts:
        known = ", ".join(spec.layouts)
        has = f"it has {known}" if known else f"{_tables_with_layouts()} does"
        text = f"{spec.name} has no --layout {args.layout}; {has}."
        raise UsageError(text)
    unused = {
        "--sort": args.sort,
        "--columns": args.columns,
        "--format": args.format not in (None, "text"),
        "--all": args.all,
    }
    for flag, given in unused.items():
        if given:
            instead = "; use --sort-by" if flag == "--sort" and _sorts(spec) else ""
            text = f"--layout takes no {flag}{instead}."
            raise UsageError(text)


def laid_out(
    trace: Trace, spec: TableSpec, args: argparse.Namespace, options: Mapping[str, object]
) -> bytes:
    """Return the table in the layout."""
    text: str = imported(spec.layouts[args.layout])(trace, args.limit, **options)
    return text.encode()


def _sorts(spec: TableSpec) -> bool:
    return any(option.name == "sort_by" for option in spec.options)


def _tables_with_layouts() -> str:
    return ", ".join(spec.name for spec in TABLES.specs() if spec.layouts)
