"""Completes the arguments of the magics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from IPython.core.completer import SimpleCompletion

from nbprof.widgets.recording.magics import ProfileMagics
from nbprof.widgets.views.registry import VIEWS

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from IPython.core.completer import CompletionContext, SimpleMatcherResult

_PARSERS: Final[dict[str, ArgumentParser]] = {
    "%nbprof": ProfileMagics.show_files.parser,
    "%%nbprof": ProfileMagics.record_cell.parser,
}


def match_arguments(context: CompletionContext) -> SimpleMatcherResult:
    """Return the arguments that may stand at the cursor; all else is left to IPython.

    Where there are some, IPython completes nothing else: to Python, ``--`` is an operator.
    """
    words = context.text_until_cursor.split()
    parser = _PARSERS.get(words[0]) if words else None
    if parser is None or (len(words) == 1 and context.token):
        return {"completions": []}
    before = words[:-1] if context.token else words
    found = [text for text in _arguments(parser, before) if text.startswith(context.token)]
    texts = [SimpleCompletion(text, type="argument") for text in found]
    return {"completions": texts, "suppress": bool(texts), "ordered": True}


def _arguments(parser: ArgumentParser, before: list[str]) -> list[str]:
    """Return what may follow the words before: names of views, or arguments not yet given."""
    if before[-1] in ("--view", "-v"):
        return list(VIEWS.names())
    given = set(before)
    actions: list[Any] = parser._actions  # noqa: SLF001 - argparse lists them nowhere else
    return [
        next(text for text in action.option_strings if text.startswith("--"))
        for action in actions
        if action.option_strings and not given & set(action.option_strings)
    ]
