"""Help for the options that only some tables have, without importing the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.tables import TABLES
from nbprof.tables.option_help import ALL_WORKERS, OPTIONS

if TYPE_CHECKING:
    import argparse

    from nbprof.model.contract.spec import TableSpec


def add_options(parser: argparse._ArgumentGroup) -> None:
    """Add the options that only some tables have; `given_options` checks what is given."""
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
    """Return all options by name, each with what it does for the tables that have it."""
    found = {name: dict(tables) for name, tables in OPTIONS.items()}
    for spec in _extensions():
        from nbprof.cli.table_options import help_text, options_of

        for name, option in options_of(spec).items():
            found.setdefault(name, {})[spec.name] = help_text(option)
    return found


def _all_workers() -> list[str]:
    """Return the tables that ``--all`` gives."""
    found = list(ALL_WORKERS)
    for spec in _extensions():
        from nbprof.cli.table_options import has_all

        found += [spec.name] * has_all(spec)
    return found


def _extensions() -> list[TableSpec]:
    """Return the tables of other packages: only where there are some, tables are imported."""
    specs = (TABLES.get(name) for name in TABLES if not TABLES.is_own(name))
    return [spec for spec in specs if spec is not None]
