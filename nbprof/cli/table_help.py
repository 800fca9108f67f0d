"""Adds the options that only some tables have to the parser of ``nbprof table``, with their help.

The tables themselves are not imported, so that help appears fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.tables import TABLES
from nbprof.tables.option_help import ALL_WORKERS, OPTIONS

if TYPE_CHECKING:
    import argparse

    from nbprof.model.contract.spec import TableSpec


def add_options(parser: argparse._ArgumentGroup) -> None:
    """Add the options that only some tables have; `given_options` checks their values later."""
    parser.add_argument(
        "--all",
        action="store_true",
        help=f"all workers and spans of the run in one table: {', '.join(_all_workers())}",
    )
    for name, tables in options().items():
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            metavar="VALUE",
            help="; ".join(f"{table}: {text}" for table, text in tables.items()),
        )


def options() -> dict[str, dict[str, str]]:
    """Return the help of each option, by its name and by the tables that have it."""
    tables_of = {name: dict(tables) for name, tables in OPTIONS.items()}
    for spec in _extensions():
        from nbprof.cli.table_options import help_text, options_of

        for name, option in options_of(spec).items():
            tables_of.setdefault(name, {})[spec.name] = help_text(option)
    return tables_of


def _all_workers() -> list[str]:
    """Return the names of the tables that ``--all`` applies to."""
    names = list(ALL_WORKERS)
    for spec in _extensions():
        from nbprof.cli.table_options import has_all

        names += [spec.name] * has_all(spec)
    return names


def _extensions() -> list[TableSpec]:
    """Return the specs of other packages' tables; this imports them."""
    specs = (TABLES.get(name) for name in TABLES if not TABLES.is_own(name))
    return [spec for spec in specs if spec is not None]
