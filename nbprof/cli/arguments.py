"""The argument parser: commands, options and help texts."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Final

from nbprof.cli import option_values
from nbprof.export.table_formats import BY_SUFFIX, FORMATS
from nbprof.model.trace.kinds import FILTER_KINDS
from nbprof.tables import TABLES
from nbprof.widgets.views.registry import VIEWS

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLES: Final = """\
examples:
  nbprof info logs/
  nbprof table logs/ operators --sort device_self_us --limit 20
  nbprof table logs/ kernels --steps 7:9 --name gemm --format csv -o kernels.csv
  nbprof trace logs/ --steps 8 -o step8.json.gz
  nbprof html logs/ -o report.html
"""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments; help, version and errors end in SystemExit, as in argparse."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser = _parser(words[:1])
    return parser.parse_args(_bind_values(words))


def _parser(command: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser; only the command that needs them gets the options of single tables."""
    parser = argparse.ArgumentParser(
        prog="nbprof",
        description="Tables of deep-learning profiles.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_info(commands)
    _add_table(commands, options="table" in command)
    _add_trace(commands)
    _add_html(commands)
    _add_cache(commands)
    return parser


class _Version(argparse.Action):
    """Prints the version, looking it up only on request."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import nbprof

        sys.stdout.write(f"nbprof {nbprof.__version__}\n")
        parser.exit()


def _add_info(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "list what a log directory contains"
    parser = commands.add_parser(
        "info", help=text, description=f"{text.capitalize()}.", allow_abbrev=False
    )
    _add_logdir(parser)
    _add_which(parser, "only this")
    _add_step_name(parser)
    _add_rules(parser)
    parser.add_argument(
        "--heads", action="store_true", help="list files only, without reading them in full"
    )


def _add_table(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], *, options: bool
) -> None:
    parser = commands.add_parser(
        "table",
        help="write one table",
        description="Write one table to stdout or to a file.",
        epilog=f"tables: {', '.join(TABLES)}",
        allow_abbrev=False,
    )
    _add_logdir(parser)
    parser.add_argument("table", metavar="TABLE", choices=TABLES, help="one of those listed below")
    _add_which(parser, "by default the first")
    _add_step_name(parser)
    _add_rules(parser)
    if options:
        from nbprof.cli.table_help import add_options

        add_options(parser.add_argument_group("of some tables"))
    _add_filter(parser.add_argument_group("filter (all conditions must hold)"))
    _add_output(parser.add_argument_group("output"))


def _add_trace(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "trace",
        help="write a trace, or a part of it, as a file",
        description="Write a trace, or a part of it, as a Chrome JSON file for Perfetto, "
        "chrome://tracing or nbprof, which gets the same tables from it.",
        allow_abbrev=False,
    )
    _add_logdir(parser)
    _add_which(parser, "by default the first")
    _add_step_name(parser)
    _add_range(parser.add_argument_group("part (by default the whole trace)"))
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="the file to write; compressed if it ends in .gz",
    )


def _add_html(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "html",
        help="write the views as one page",
        description="Write the views of a trace as one page that needs neither Python nor a "
        "network. The page can filter by steps and name; other filter conditions are fixed.",
        allow_abbrev=False,
    )
    _add_logdir(parser)
    _add_which(parser, "by default the first")
    _add_step_name(parser)
    _add_rules(parser)
    parser.add_argument("--view", choices=VIEWS.names(), help="the view to start with")
    parser.add_argument(
        "--theme",
        choices=("auto", "light", "dark"),
        default="auto",
        help="colors; auto, the default, follows the reader's system",
    )
    _add_filter(parser.add_argument_group("filter to start with (all conditions must hold)"))
    parser.add_argument(
        "--max-bytes",
        type=option_values.byte_count,
        metavar="N",
        help="maximum size of the page, by default 5,000,000; data that does not fit is left out "
        "and listed",
    )
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the file to write")


def _add_cache(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "list or remove cached traces of large files"
    parser = commands.add_parser(
        "cache", help=text, description=f"{text.capitalize()}.", allow_abbrev=False
    )
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "size", "clear"),
        default="list",
        help="list cached traces (the default), show the folder and its size, or remove all",
    )


def _add_logdir(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "logdir", metavar="LOGDIR", help="directory, trace file, glob pattern or URL"
    )


def _add_which(parser: argparse.ArgumentParser, which: str) -> None:
    parser.add_argument("--run", help=f"{which} run")
    parser.add_argument("--worker", help=f"{which} worker")
    parser.add_argument("--span", type=int, metavar="N", help=f"{which} span")


def _add_step_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--step-name",
        metavar="LABEL",
        help="annotations to use as steps if prof.step() was not called: part of their name, "
        "ignoring case, or /regular expression/; nbprof info lists labels that repeat",
    )


def _add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--communication",
        action="append",
        type=option_values.rule,
        metavar="NAME",
        help="kernels to count as communication: part of the name of the kernel or of the operator "
        "that launched it, ignoring case, or /regular expression/; may be repeated",
    )


def _add_range(group: argparse._ArgumentGroup) -> None:
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


def _add_filter(group: argparse._ArgumentGroup) -> None:
    _add_range(group)
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


def _add_output(group: argparse._ArgumentGroup) -> None:
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
        "-o", "--output", metavar="FILE", help=f"write a file ({', '.join(BY_SUFFIX)})"
    )
    group.add_argument(
        "--safe-csv",
        action="store_true",
        help="prefix cells that a spreadsheet would run as a formula with an apostrophe",
    )


def _bind_values(words: list[str]) -> list[str]:
    """Join options and values that start with a minus, which argparse takes for options.

    ``--time -5:10`` and ``--sort -calls`` become ``--time=-5:10`` and ``--sort=-calls``.
    """
    joined: list[str] = []
    left = iter(words)
    for word in left:
        if word == "--":
            return [*joined, word, *left]
        if word not in _MAY_BE_NEGATIVE:
            joined.append(word)
            continue
        value = next(left, None)
        if value is None or not value.startswith("-") or value.startswith("--"):
            joined += [word] if value is None else [word, value]
        else:
            joined.append(f"{word}={value}")
    return joined


_MAY_BE_NEGATIVE: Final = frozenset(
    {"--steps", "--time", "--sort", "--name", "--span", "--limit", "--thread", "--device"}
    | {"--stream", "--run", "--worker", "--within", "--communication"}
)
