"""Checks and converts the values of ``nbprof table`` options that only some tables have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.model.errors import UnknownNameError
from nbprof.tables.methods import has

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from nbprof.model.contract.spec import Option, TableSpec


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
