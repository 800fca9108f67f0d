"""Options of ``nbprof table`` that only some tables have, from the specs of the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.model.errors import UnknownNameError
from nbprof.tables import TABLES
from nbprof.tables.methods import has

if TYPE_CHECKING:
    import argparse

    from nbprof.model.contract.spec import Option, TableSpec


class UsageError(UnknownNameError):
    """The options do not go together, or name what is not there."""


def options_of(spec: TableSpec) -> dict[str, Option]:
    """Return the options that a table has on the command line, by name."""
    if not has("trace", spec):
        return {}
    return {option.name: option for option in spec.all_options if option.on_command_line}


def options_by_table() -> dict[str, dict[str, Option]]:
    """Return all options by name, and for each the tables that have it, with their own of it."""
    found: dict[str, dict[str, Option]] = {}
    for spec in TABLES.specs():
        for name, option in options_of(spec).items():
            found.setdefault(name, {})[spec.name] = option
    return found


def has_all(spec: TableSpec) -> bool:
    """Whether ``--all`` gives a table: if it is not of one trace, or of the files found."""
    return spec.scope == "both" or (spec.scope == "profile" and spec.filtered)


def add_options(parser: argparse._ArgumentGroup) -> None:
    """Add the options that only some tables have; `given_options` checks what is given."""
    names = [spec.name for spec in TABLES.specs() if has_all(spec)]
    parser.add_argument(
        "--all",
        action="store_true",
        help=f"all workers and spans of the run in one table: {', '.join(names)}",
    )
    for tables in options_by_table().values():
        option = next(iter(tables.values()))
        parser.add_argument(
            option.flag,
            metavar="VALUE",
            help="; ".join(f"{table}: {_help(of)}" for table, of in tables.items()),
        )


def given_options(args: argparse.Namespace, spec: TableSpec) -> dict[str, Any]:
    """Return the options of a table that are given.

    Raises
    ------
    UsageError
        The table does not have one of them, or not with that value.
    """
    own = options_of(spec)
    found = {}
    for name, tables in options_by_table().items():
        text = getattr(args, name)
        if text is None:
            continue
        if name not in own:
            flag = next(iter(tables.values())).flag
            do = "does" if len(tables) == 1 else "do"
            message = f"{spec.name} takes no {flag}; {', '.join(tables)} {do}."
            raise UsageError(message)
        found[name] = _value(spec, own[name], text)
    return found


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


def _help(option: Option) -> str:
    text = f"{option.help[0].lower()}{option.help[1:]}".rstrip(".")
    if option.choices:
        *first, last = option.choices
        text += f" ({', '.join(first)} or {last})" if first else f" ({last})"
    return text.replace("%", "%%")
