"""What the command line takes."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Final

from nbprof.cli.names import TABLES, VIEWS
from nbprof.export.formats import BY_SUFFIX, FORMATS
from nbprof.model.kinds import FILTER_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: An open end of a range of steps.
FAR: Final = 2**62

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
    parser = _parser()
    words = list(sys.argv[1:] if argv is None else argv)
    return parser.parse_args(_bind_values(words))


def _parser() -> argparse.ArgumentParser:
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
    _add_table(commands)
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
    parser.add_argument(
        "--heads", action="store_true", help="list the files only, reading none of them in full"
    )


def _add_table(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
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
    parser.add_argument(
        "--group-by",
        metavar="KEYS",
        help="operators: name, name+shape or name+stack; operator_parts: name or name+shape;"
        " kernels: name, name+stack, properties or launch",
    )
    parser.add_argument(
        "--by", choices=("host", "device", "bytes"), help="flame: what frames are worth"
    )
    parser.add_argument(
        "--order", choices=("left_heavy", "time"), help="flame: how frames are laid out"
    )
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
        type=_bytes,
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


def _add_range(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--steps",
        type=_steps,
        metavar="A:B",
        help="step numbers from A to B, both included; N is one step; either end may be left open",
    )
    group.add_argument(
        "--time",
        type=_times,
        metavar="A:B",
        help="microseconds from the first event, A included and B not; either end may be left open",
    )


def _add_filter(group: argparse._ArgumentGroup) -> None:
    _add_range(group)
    group.add_argument("--name", help="part of the name in any case, or /regular expression/")
    group.add_argument(
        "--kinds", type=_kinds, metavar="K,K", help=f"kinds of events: {', '.join(FILTER_KINDS)}"
    )
    group.add_argument("--thread", type=_numbers, metavar="N,N", help="thread ids")
    group.add_argument("--device", type=_numbers, metavar="N,N", help="device numbers")
    group.add_argument("--stream", type=_numbers, metavar="N,N", help="stream numbers")


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--sort",
        metavar="COL",
        help="sort by a column: the largest number first, texts from A to Z;"
        " -COL sorts downwards whatever it is",
    )
    group.add_argument("--ascending", action="store_true", help="sort upwards")
    group.add_argument("--limit", type=_count, metavar="N", help="only the first N rows")
    group.add_argument("--columns", type=_names, metavar="A,B", help="only these, in this order")
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
    | {"--stream", "--run", "--worker"}
)


def _range(text: str, number: Callable[[str], float], what: str) -> tuple[float | None, ...]:
    message = f"{text!r} is no range of {what} A:B"
    parts = text.split(":")
    if len(parts) != 2 or not any(parts):
        raise argparse.ArgumentTypeError(message)
    try:
        return tuple(number(part) if part else None for part in parts)
    except ValueError:
        raise argparse.ArgumentTypeError(message) from None


def _steps(text: str) -> tuple[float, float]:
    if ":" not in text:
        text = f"{text}:{text}"
    first, last = _range(text, int, "step numbers")
    return (-FAR if first is None else first, FAR if last is None else last)


def _times(text: str) -> tuple[float, float]:
    low, high = _range(text, float, "microseconds")
    return (-float("inf") if low is None else low, float("inf") if high is None else high)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        message = f"{text!r} is no list of whole numbers"
        raise argparse.ArgumentTypeError(message) from None


def _names(text: str) -> tuple[str, ...]:
    names = tuple(part.strip() for part in text.split(",") if part.strip())
    if not names:
        message = f"{text!r} names nothing"
        raise argparse.ArgumentTypeError(message)
    return names


def _kinds(text: str) -> tuple[str, ...]:
    kinds = _names(text)
    for kind in kinds:
        if kind not in FILTER_KINDS:
            message = f"{kind!r} is no kind of event; kinds are {', '.join(FILTER_KINDS)}"
            raise argparse.ArgumentTypeError(message)
    return kinds


def _bytes(text: str) -> int:
    return _count(text, "bytes")


def _count(text: str, noun: str = "rows") -> int:
    if not (text.isascii() and text.isdigit()):
        message = f"{text!r} is no number of {noun}"
        raise argparse.ArgumentTypeError(message)
    return int(text)
