r"""Escapes control characters and invisible characters in texts that are shown to people.

Names come from untrusted files: an escape sequence in one sets the title of a terminal or moves its
cursor, a bidirectional character reverses a name, a newline forges a line. All output for people
passes through here: the command line, `repr`, errors, warnings and summaries.
"""

from __future__ import annotations


def visible(text: str) -> str:
    r"""Return a text of several lines with control characters escaped, such as ``\x1b``.

    Newlines stay. All other characters that are not `str.isprintable` are escaped: C0 and C1
    controls, bidirectional and other invisible characters, and lone surrogates.
    """
    if text.isprintable():
        return text
    return "\n".join(map(printable, text.split("\n")))


def printable(text: str) -> str:
    """Return a name, or another text of one line, with newlines escaped as well."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
