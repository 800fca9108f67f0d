"""The command line: runs ``nbprof info``, ``table``, ``trace``, ``html``, ``bottleneck``, ….

Tables go to stdout, messages to stderr. The exit status is 0 on success, 1 for errors in the data,
2 for errors in the command, 3 if ``nbprof diff`` exceeds a limit, 130 after Ctrl-C, and 143 after
SIGTERM.
"""

from __future__ import annotations

import signal
import threading
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from nbprof.cli.output import drop_stdout, flush, message

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence

OK, DATA_ERROR, USAGE_ERROR, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; by default those of the process.
    """
    try:
        with _exit_at_sigterm():
            status = _run(argv)
            flush()
    except BrokenPipeError:
        # The reader has closed the pipe, as `head` does.
        drop_stdout()
        return OK
    except KeyboardInterrupt:
        drop_stdout()
        return INTERRUPTED
    except SystemExit:
        drop_stdout()
        return TERMINATED
    except OSError as error:
        # Writing failed, for example on a full disk.
        drop_stdout()
        message(f"stdout: {error.strerror or error}")
        return DATA_ERROR
    return status


@contextmanager
def _exit_at_sigterm() -> Iterator[None]:
    """Let SIGTERM unwind the stack, so that nothing temporary is left.

    What a program that calls `main` does at the signal stays.
    """
    main_thread = threading.current_thread() is threading.main_thread()
    if not main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def leave(*_: object) -> None:
        raise SystemExit(TERMINATED)

    signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _run(argv: Sequence[str] | None) -> int:
    from nbprof.cli.arguments import parse

    try:
        args = parse(argv)
    except SystemExit as error:
        # argparse has printed help, the version or an error.
        return error.code if isinstance(error.code, int) else USAGE_ERROR

    from nbprof.cli.output import OutputError
    from nbprof.defaults import options
    from nbprof.model.errors import FilterError, LimitError, NbprofError, UnknownNameError

    try:
        with options.having(**_options(args)):
            return _command(args.command)(args)
    except (FilterError, LimitError, UnknownNameError) as error:
        message(str(error))
        return USAGE_ERROR
    except (NbprofError, OutputError) as error:
        message(str(error))
        return DATA_ERROR
    except (OSError, KeyboardInterrupt):
        raise
    except MemoryError:
        message("There is not enough memory for this command.")
        return DATA_ERROR
    except Exception:  # noqa: BLE001 - Python would print text quoted from files unescaped
        message(f"This is a bug in nbprof, please report it.\n{traceback.format_exc()}")
        return DATA_ERROR


def _options(args: Namespace) -> dict[str, list[str]]:
    """Return nbprof options set by arguments: rules are added to the existing ones."""
    from nbprof.defaults import options

    rules = getattr(args, "communication", None)
    return {"communication_names": [*options.communication_names, *rules]} if rules else {}


#: The function of each command, ``module:function``, imported when it is called.
_COMMANDS: Final = {
    "info": "nbprof.cli.info:info",
    "trace": "nbprof.cli.trace:trace",
    "prof": "nbprof.cli.prof:prof",
    "html": "nbprof.cli.html:html",
    "cache": "nbprof.cli.cache:cache",
    "bottleneck": "nbprof.cli.bottleneck.command:bottleneck",
    "table": "nbprof.cli.table:table",
    "diff": "nbprof.cli.comparing.command:diff",
}


def _command(name: str) -> Callable[[Namespace], int]:
    from nbprof.registry import imported

    command: Callable[[Namespace], int] = imported(_COMMANDS[name])
    return command
