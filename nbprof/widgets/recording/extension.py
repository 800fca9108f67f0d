"""The IPython extension, which ``%load_ext nbprof`` loads."""

from __future__ import annotations

from typing import Any

from IPython.core.completer import context_matcher

from nbprof.widgets.recording.completion import match_arguments
from nbprof.widgets.recording.magics import ProfileMagics


def load(shell: Any) -> None:
    """Register the magics and the completion of their arguments."""
    shell.register_magics(ProfileMagics)
    mark: Any = context_matcher(identifier="nbprof")
    matcher, matchers = mark(match_arguments), shell.Completer.custom_matchers
    if matcher not in matchers:
        matchers.append(matcher)
