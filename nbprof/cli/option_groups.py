"""Options that several commands share: the trace, its steps, a filter, a range, and the output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.cli import option_values
from nbprof.export.table_formats import BY_SUFFIX, FORMATS
from nbprof.model.trace.kinds import FILTER_KINDS

if TYPE_CHECKING:
    import argparse


def add_logdir(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add the argument LOGDIR; `more` goes on with its help."""
    text = f"directory, trace file, glob pattern or URL{more}"
    parser.add_argument("logdir", metavar="LOGDIR", help=text)


def add_trace_choice(parser: argparse._ActionsContainer, which: str) -> None:
    """Add the options that choose a trace; `which` describes the choice made without them."""
    parser.add_argument("--run", help=f"{which} run")
    parser.add_argument("--worker", help=f"{which} worker")
    parser.add_argument("--span", type=int, metavar="N", help=f"{which} span")


def add_step_name(parser: argparse._ActionsContainer) -> None:
    """Add ``--step-name``."""
    parser.add_argument(
        "--step-name",
        metavar="LABEL",
        help="annotations to use as steps if the recorder marked none: part of their name, "
        "ignoring case, or /regular expression/; nbprof info lists labels that repeat",
    )


def add_rules(parser: argparse._ActionsContainer) -> None:
    """Add ``--communication``."""
    parser.add_argument(
        "--communication",
        action="append",
        type=option_values.rule,
        metavar="NAME",
        help="kernels to count as communication: part of the name of the kernel or of the operator "
        "that launched it, ignoring case, or /regular expression/; may be repeated",
    )


def add_range(group: argparse._ArgumentGroup) -> None:
    """Add ``--steps`` and ``--time``."""
    group.add_argument(
        "--steps",
        type=option_values.steps,
        metavar="A:B",
        help="step numbers from A to B, both included; N is a single step; either end may be "
        "omitted",
    )
    group.add_argument(
        "--time",
        type=option_values.times,
        metavar="A:B",
        help="microseconds from the first event, A included, B excluded; either end may be omitted",
    )


def add_filter(group: argparse._ArgumentGroup) -> None:
    """Add the options of a `Filter`."""
    add_range(group)
    group.add_argument("--name", help="part of the name, ignoring case, or /regular expression/")
    group.add_argument(
        "--within",
        metavar="NAME",
        help="work launched by operators, annotations, modules and Python frames of this name, "
        "including their backward pass; as --name, or '=NAME' for an exact match",
    )
    group.add_argument(
        "--kinds",
        type=option_values.kinds,
        metavar="K,K",
        help=f"kinds of events: {', '.join(FILTER_KINDS)}",
    )
    group.add_argument("--thread", type=option_values.numbers, metavar="N,N", help="thread ids")
    group.add_argument("--device", type=option_values.numbers, metavar="N,N", help="device numbers")
    group.add_argument("--stream", type=option_values.numbers, metavar="N,N", help="stream numbers")


def add_output(group: argparse._ArgumentGroup) -> None:
    """Add the options for the rows and columns of a table, its format and its file."""
    group.add_argument(
        "--sort",
        metavar="COL",
        help="sort by a column: numbers largest first, texts from A to Z; -COL always sorts in "
        "descending order",
    )
    group.add_argument("--ascending", action="store_true", help="sort upwards")
    group.add_argument(
        "--limit", type=option_values.count, metavar="N", help="only the first N rows"
    )
    group.add_argument(
        "--columns", type=option_values.names, metavar="A,B", help="only these, in this order"
    )
    group.add_argument(
        "--format",
        choices=FORMATS,
        metavar="FORMAT",
        help=f"{', '.join(FORMATS)}; by default determined by the suffix of FILE, otherwise text",
    )
    group.add_argument(
        "--layout",
        metavar="NAME",
        help="text in the layout of another tool: torch, for key_averages",
    )
    group.add_argument(
        "-o", "--output", metavar="FILE", help=f"write a file ({', '.join(BY_SUFFIX)})"
    )
    group.add_argument(
        "--safe-csv",
        action="store_true",
        help="prefix cells that a spreadsheet would run as a formula with an apostrophe",
    )
