"""The argument parser: commands, options and help texts."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, Final

from nbprof.cli import option_values
from nbprof.cli.option_groups import (
    add_filter,
    add_logdir,
    add_output,
    add_range,
    add_rules,
    add_step_name,
    add_trace_choice,
)
from nbprof.cli.output import write_error, write_text
from nbprof.tables import TABLES
from nbprof.widgets.views.registry import VIEWS

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLES: Final = """\
examples:
  nbprof info logs/
  nbprof table logs/ operators --sort device_self_us --limit 20
  nbprof table logs/ kernels --steps 7:9 --name gemm --format csv -o kernels.csv
  nbprof prof logs/ -c idx,dir,op,kernel,params,sil,tc,flops,bytes
  nbprof trace logs/ --steps 8 -o step8.json.gz
  nbprof html logs/ -o report.html
  nbprof diff logs/main logs/branch --fail-if "step_us > +5%" --format md
"""


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments; help, version and errors end in SystemExit, as in argparse."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser = _parser(words[:1])
    # What follows the program of `bottleneck` is the program's.
    return parser.parse_args(words if words[:1] == ["bottleneck"] else _bind_values(words))


def _parser(command: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser; only the command that needs them gets the options of single tables."""
    parser: argparse.ArgumentParser = _Parser(
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
    _add_prof(commands, options="prof" in command)
    _add_trace(commands)
    _add_html(commands)
    _add_diff(commands, options="diff" in command)
    _add_cache(commands)
    _add_bottleneck(commands)
    return parser


class _Parser(argparse.ArgumentParser):
    """A parser that prints as the rest of the command line does; arguments may be file names."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.color = False  # of Python 3.14 and newer; escape sequences would be written out

    def _print_message(self, message: str, file: Any = None) -> None:
        if not message:
            return
        if file is sys.stdout:
            write_text(message)
        else:
            write_error(message)


class _Version(argparse.Action):
    """Prints the version, looking it up only on request."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import nbprof

        write_text(f"nbprof {nbprof.__version__}\n")
        parser.exit()


def _add_info(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "list what a log directory contains"
    parser = commands.add_parser(
        "info", help=text, description=f"{text.capitalize()}.", allow_abbrev=False
    )
    add_logdir(parser)
    add_trace_choice(parser, "only this")
    add_step_name(parser)
    add_rules(parser)
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
    add_logdir(parser)
    parser.add_argument("table", metavar="TABLE", choices=TABLES, help="one of those listed below")
    add_trace_choice(parser, "by default the first")
    add_step_name(parser)
    add_rules(parser)
    if options:
        from nbprof.cli.table_help import add_options

        add_options(parser.add_argument_group("of some tables"))
    add_filter(parser.add_argument_group("filter (all conditions must hold)"))
    add_output(parser.add_argument_group("output"))


def _add_prof(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], *, options: bool
) -> None:
    parser = commands.add_parser(
        "prof",
        help="print every kernel with its operator, FLOPs and bytes, as PyProf did",
        description="Print the report of PyProf: a line for each kernel with its direction, "
        "operator, parameters, FLOPs and bytes. On a terminal, lines fit its width.",
        allow_abbrev=False,
    )
    add_logdir(parser, "; - reads the dictionaries of PyProf's parser from standard input")
    add_trace_choice(parser, "by default the first")
    add_step_name(parser)
    add_filter(parser.add_argument_group("filter (all conditions must hold)"))
    if options:
        from nbprof.cli.prof_options import add_options

        add_options(parser)


def _add_trace(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "trace",
        help="write a trace, or a part of it, as a file",
        description="Write a trace, or a part of it, as a Chrome JSON file for Perfetto, "
        "chrome://tracing or nbprof, which gets the same tables from it.",
        allow_abbrev=False,
    )
    add_logdir(parser)
    add_trace_choice(parser, "by default the first")
    add_step_name(parser)
    add_range(parser.add_argument_group("part (by default the whole trace)"))
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
    add_logdir(parser)
    add_trace_choice(parser, "by default the first")
    add_step_name(parser)
    add_rules(parser)
    parser.add_argument("--view", choices=VIEWS.names(), help="the view to start with")
    parser.add_argument(
        "--theme",
        choices=("auto", "light", "dark"),
        default="auto",
        help="colors; auto, the default, follows the reader's system",
    )
    add_filter(parser.add_argument_group("filter to start with (all conditions must hold)"))
    parser.add_argument(
        "--max-bytes",
        type=option_values.byte_count,
        metavar="N",
        help="maximum size of the page, by default 5,000,000; data that does not fit is left out "
        "and listed",
    )
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the file to write")


def _add_diff(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], *, options: bool
) -> None:
    parser = commands.add_parser(
        "diff",
        help="compare two runs, and fail where a limit is exceeded",
        description="Compare a run with a baseline: what got slower and faster, and whether that "
        "is noise. The exit status is 3 if a limit is exceeded, 1 if a file could not be read.",
        allow_abbrev=False,
    )
    parser.add_argument("a", metavar="A", help="the baseline: directory, file, glob pattern or URL")
    parser.add_argument("b", metavar="B", help="the candidate, which is compared with it")
    if options:
        from nbprof.cli.comparing.options import add_options

        add_options(parser)


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


def _add_bottleneck(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "bottleneck",
        help="run a program and report where its time goes",
        usage="nbprof bottleneck [-h] [-o FILE] [--recordings FOLDER] (SCRIPT | -m MODULE) ...",
        description="Run a Python program twice, under cProfile and, if PyTorch is installed, "
        "under PyTorch's profiler, and report the environment, functions, operators and what to "
        "look at first. The exit status is that of the program.",
        allow_abbrev=False,
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the report as a page, too")
    parser.add_argument(
        "--recordings", metavar="FOLDER", help="keep the recordings, which nbprof.show shows"
    )
    parser.add_argument(
        "-m", dest="module", action="store_true", help="run a module, as python -m does"
    )
    parser.add_argument("target", metavar="SCRIPT", help="the program, or with -m its module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="its arguments")


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
    | {"--to-run", "--to-worker", "--to-span"}
)
