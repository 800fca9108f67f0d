"""What the command line takes."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Final

from nbprof.cli import values
from nbprof.cli.names import VIEWS
from nbprof.export.formats import BY_SUFFIX, FORMATS
from nbprof.model.trace.kinds import FILTER_KINDS
from nbprof.tables import TABLES

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
    """Parse the arguments; help, version and errors end in SystemExit as argparse has it."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser = _parser(words[:1])
    return parser.parse_args(_bind_values(words))


def _parser(command: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser; what only some tables take is added for the command that makes them."""
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
    """Look up the version when it is asked for, not before."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import nbprof

        sys.stdout.write(f"nbprof {nbprof.__version__}\n")
        parser.exit()


def _add_info(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "say what a log directory holds"
    parser = commands.add_parser(
        "info", help=text, description=f"{text.capitalize()}.", allow_abbrev=False
    )
    _add_logdir(parser)
    _add_which(parser, "only this")
    _add_step_name(parser)
    _add_rules(parser)
    parser.add_argument(
        "--heads", action="store_true", help="list the files only, reading none of them in full"
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
        from nbprof.cli.table_options import add_options  # which imports all tables

        add_options(parser.add_argument_group("of some tables"))
    _add_filter(parser.add_argument_group("filter (all conditions must hold)"))
    _add_output(parser.add_argument_group("output"))


def _add_trace(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "trace",
        help="write a trace, or a part of it, as a file",
        description="Write a trace, or a part of it, as a Chrome JSON file: for Perfetto, for"
        " chrome://tracing, and for nbprof, which reads the same tables from it.",
        allow_abbrev=False,
    )
    _add_logdir(parser)
    _add_which(parser, "by default the first")
    _add_step_name(parser)
    _add_range(parser.add_argument_group("part (by default all of it)"))
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="the file to write; packed if it ends in .gz",
    )


def _add_html(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "html",
        help="write the views as one page",
        description="Write the views of a trace as one page that needs neither Python nor a"
        " network. Its steps and names can be filtered there; everything else of a filter stays.",
        allow_abbrev=False,
    )
    _add_logdir(parser)
    _add_which(parser, "by default the first")
    _add_step_name(parser)
    _add_rules(parser)
    parser.add_argument("--view", choices=VIEWS, default="overview", help="the view to start with")
    parser.add_argument(
        "--theme",
        choices=("auto", "light", "dark"),
        default="auto",
        help="colors; auto, the default, follows the reader's",
    )
    _add_filter(parser.add_argument_group("filter to start with (all conditions must hold)"))
    parser.add_argument(
        "--max-bytes",
        type=values.byte_count,
        metavar="N",
        help="what the page may take, by default 5,000,000; the rest is left out, and named",
    )
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the file to write")


def _add_cache(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "say what is kept on disk of large files, or remove it"
    parser = commands.add_parser(
        "cache", help=text, description=f"{text.capitalize()}.", allow_abbrev=False
    )
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "size", "clear"),
        default="list",
        help="list what is kept (the default), say where and how much, or remove all of it",
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
        help="annotations that are the steps where prof.step() was not called: part of their name"
        " in any case, or /regular expression/; nbprof info says which labels repeat",
    )


def _add_rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--communication",
        action="append",
        type=values.rule,
        metavar="NAME",
        help="what else counts as communication: part of the name of a kernel or of the operator"
        " that launched it, in any case, or /regular expression/; may be given several times",
    )


def _add_range(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--steps",
        type=values.steps,
        metavar="A:B",
        help="step numbers from A to B, both included; N is one step; either end may be left open",
    )
    group.add_argument(
        "--time",
        type=values.times,
        metavar="A:B",
        help="microseconds from the first event, A included and B not; either end may be left open",
    )


def _add_filter(group: argparse._ArgumentGroup) -> None:
    _add_range(group)
    group.add_argument("--name", help="part of the name in any case, or /regular expression/")
    group.add_argument(
        "--within",
        metavar="NAME",
        help="what operators, annotations, modules and Python frames of that name launched,"
        " in their backward pass too; as --name, and '=NAME' for exactly that name",
    )
    group.add_argument(
        "--kinds",
        type=values.kinds,
        metavar="K,K",
        help=f"kinds of events: {', '.join(FILTER_KINDS)}",
    )
    group.add_argument("--thread", type=values.numbers, metavar="N,N", help="thread ids")
    group.add_argument("--device", type=values.numbers, metavar="N,N", help="device numbers")
    group.add_argument("--stream", type=values.numbers, metavar="N,N", help="stream numbers")


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--sort",
        metavar="COL",
        help="sort by a column: the largest number first, texts from A to Z;"
        " -COL sorts downwards whatever it is",
    )
    group.add_argument("--ascending", action="store_true", help="sort upwards")
    group.add_argument("--limit", type=values.count, metavar="N", help="only the first N rows")
    group.add_argument(
        "--columns", type=values.names, metavar="A,B", help="only these, in this order"
    )
    group.add_argument(
        "--format",
        choices=FORMATS,
        metavar="FORMAT",
        help=f"{', '.join(FORMATS)}; by default what the ending of FILE says, else text",
    )
    group.add_argument(
        "-o", "--output", metavar="FILE", help=f"write a file ({', '.join(BY_SUFFIX)})"
    )
    group.add_argument(
        "--safe-csv",
        action="store_true",
        help="put an apostrophe before what a spreadsheet would run as a formula",
    )


def _bind_values(words: list[str]) -> list[str]:
    """Join options to values that begin with a minus, which argparse takes for options.

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
