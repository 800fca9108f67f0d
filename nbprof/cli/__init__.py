"""The command line: ``nbprof info``, ``nbprof table``, ``nbprof trace`` and the others.

Tables go to stdout, messages to stderr. The exit status is 0, 1 where the data are at fault, 2
where the command is, and 130 after Ctrl-C.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.cli.output import drop_stdout, flush, message

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

OK, DATA_ERROR, USAGE_ERROR, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments, by default those of the process.
    """
    try:
        status = _run(argv)
        flush()
    except BrokenPipeError:
        # Whoever read has seen enough, as `head` does.
        drop_stdout()
        return OK
    except KeyboardInterrupt:
        drop_stdout()
        return INTERRUPTED
    except OSError as error:
        # Writing failed: a full disk, say.
        drop_stdout()
        message(f"stdout: {error.strerror or error}")
        return DATA_ERROR
    return status


def _run(argv: Sequence[str] | None) -> int:
    from nbprof.cli.arguments import parse

    try:
        args = parse(argv)
    except SystemExit as error:
        # argparse has said what there is to say: help, the version, or what is wrong.
        return error.code if isinstance(error.code, int) else USAGE_ERROR

    from nbprof.cli.output import OutputError
    from nbprof.defaults import options
    from nbprof.model.errors import FilterError, NbprofError, UnknownNameError

    try:
        with options.having(**_options(args)):
            return _command(args.command)(args)
    except (FilterError, UnknownNameError) as error:
        message(str(error))
        return USAGE_ERROR
    except (NbprofError, OutputError) as error:
        message(str(error))
        return DATA_ERROR


def _options(args: Namespace) -> dict[str, list[str]]:
    """Return the options that arguments set: rules on top of those that hold already."""
    from nbprof.defaults import options

    rules = getattr(args, "communication", None)
    return {"communication_names": [*options.communication_names, *rules]} if rules else {}


def _command(name: str) -> Callable[[Namespace], int]:
    if name == "info":
        from nbprof.cli.info import info

        return info
    if name == "trace":
        from nbprof.cli.trace import trace

        return trace
    if name == "html":
        from nbprof.cli.html import html

        return html
    if name == "cache":
        from nbprof.cli.cache import cache

        return cache
    from nbprof.cli.table import table

    return table
