"""The options of ``nbprof prof`` that choose columns and the form of the text."""

from __future__ import annotations

import argparse

from nbprof.analysis.pyprof.report import COLUMNS
from nbprof.analysis.pyprof.text import DEFAULT, checked_columns
from nbprof.cli import option_values
from nbprof.model.errors import UnknownNameError


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--columns``, ``--width`` and ``--csv``, and list the columns below the help."""
    parser.epilog = f"columns: {', '.join(column.name for column in COLUMNS)}"
    output = parser.add_argument_group("output")
    output.add_argument(
        "-c",
        "--columns",
        type=_columns,
        metavar="C,C",
        default=DEFAULT,
        help=f"columns and their order, by default {','.join(DEFAULT)}",
    )
    form = output.add_mutually_exclusive_group()
    form.add_argument(
        "-w",
        "--width",
        type=lambda text: option_values.count(text, "characters"),
        metavar="N",
        help="fit lines to this width; by default to that of the terminal; elsewhere fields are "
        "separated by blanks",
    )
    form.add_argument("--csv", action="store_true", help="write CSV with every field quoted")


def _columns(text: str) -> tuple[str, ...]:
    try:
        return checked_columns(text)
    except UnknownNameError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
