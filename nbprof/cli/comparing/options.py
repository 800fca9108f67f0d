"""The options of ``nbprof diff``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.cli import option_values
from nbprof.cli.option_groups import add_filter, add_rules, add_step_name, add_trace_choice
from nbprof.diffs.lookup import words
from nbprof.export.diffs.formats import FORMATS, SUFFIXES

if TYPE_CHECKING:
    import argparse


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser of the command."""
    parser.add_argument(
        "--by",
        action="append",
        choices=tuple(words()),
        metavar="WORD",
        help=f"tables of the report, by default category and operator: {', '.join(words())}; may be"
        " repeated",
    )
    gate = parser.add_argument_group("gate")
    gate.add_argument(
        "--fail-if",
        action="append",
        metavar="LIMIT",
        help="end with status 3 if the limit is exceeded, such as 'step_us > +5%%',"
        " 'memory_peak_bytes > +100MB' or 'kernel:/gemm/ total_us > +10%%'; may be repeated",
    )
    gate.add_argument(
        "--strict",
        action="store_true",
        help="also fail if a limit is exceeded only within the noise",
    )
    sides = parser.add_argument_group("sides (by default the first run, worker and span of each)")
    add_trace_choice(sides, "of both sides, the")
    sides.add_argument("--to-run", metavar="RUN", help="of the candidate, the run")
    sides.add_argument("--to-worker", metavar="WORKER", help="of the candidate, the worker")
    sides.add_argument("--to-span", type=int, metavar="N", help="of the candidate, the span")
    sides.add_argument(
        "--all", action="store_true", help="all workers of the run: figures are means over them"
    )
    add_step_name(sides)
    add_rules(sides)
    add_filter(parser.add_argument_group("filter of both sides (all conditions must hold)"))
    output = parser.add_argument_group("output")
    output.add_argument(
        "--limit",
        type=option_values.count,
        metavar="N",
        help="rows of each table, by default 20; in JSON all",
    )
    output.add_argument(
        "--format",
        choices=FORMATS,
        metavar="FORMAT",
        help=f"{', '.join(FORMATS)}; by default determined by the suffix of FILE, otherwise text",
    )
    suffixes = ", ".join(one for of in SUFFIXES.values() for one in of)
    output.add_argument("-o", "--output", metavar="FILE", help=f"write a file ({suffixes})")
