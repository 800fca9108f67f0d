"""Recognises URLs, and shows them without credentials.

A URL may contain credentials: before the ``@``, after ``?`` and ``#``, and in parameters of its
path after ``;``. The forms shown in tables, reprs and errors never do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, unquote_plus, urlsplit

if TYPE_CHECKING:
    import os

#: At least two letters, since one is a drive. Chains such as ``zip://*.json::s3://…`` count.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]+)(?:://|::)")

#: As above, but also with the separators that typing errors and `pathlib` leave.
_START = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+:([/\\]+)")

#: The part before the ``@``. After a colon that no port follows, it extends to the last ``@``,
#: since secrets that contain a slash or a question mark are often pasted unescaped.
_USER = re.compile(
    r"(?!\[[0-9A-Fa-f:.%]*\](?::\d*)?(?:[/?#]|$))"
    r"[^/?#:]*:(?!\d*(?:[/?#]|$))(?:[^?#]*|[^@]*)@|[^/?#]*@"
)
#: The same where no host is expected, so that an ``@`` alone says nothing.
_USER_IN_PATH = re.compile(r"[^/?#:@]*:[^/?#]*@")
#: What stands for the host, with text after a colon where only a port may be.
_NO_PORT = re.compile(r"[^/?#:\[]*:(?!\d*(?:[/?#]|$))[^/?#]*")
_TAIL = re.compile(r"[?#].*", re.DOTALL)
_PARAMETER = re.compile(r";[^/;]*")
#: Elsewhere than in web addresses, a semicolon may be part of a name.
_NAMED_PARAMETER = re.compile(r";[^/;=]*=[^/;]*")
_LINK = re.compile(r"::(?=[A-Za-z][A-Za-z0-9+.\-]*(?:://|::|$))")

#: For these, the part before the ``@`` is the container, and only text after a colon is secret.
_CONTAINER = re.compile(r"^(abfss?://[^/?#@:]+)(:[^?#]*)?@")

#: Query parameters that locate data and grant no access.
_HARMLESS: Final = frozenset({"endpoint_override", "scheme", "region"})

_HIDDEN: Final = "***"
_SHORTEST_SECRET: Final = 3


def is_url(source: str | os.PathLike[str]) -> bool:
    """Whether a source is a URL rather than a path."""
    return isinstance(source, str) and _SCHEME.match(source) is not None


def scheme(url: str) -> str:
    """Return the scheme of a URL, the part before the colon."""
    match = _SCHEME.match(url)
    return match.group(1).lower() if match else ""


def local_path(url: str) -> Path | None:
    """Return the path of a ``file:`` URL; None for all other URLs."""
    if scheme(url) != "file" or "::" in url:
        return None
    from urllib.request import url2pathname  # imports all of http

    return Path(url2pathname(urlsplit(url).path))


def shown(url: str) -> str:
    """Return a URL without credentials: no user, no password, no parameters, query or fragment.

    A text that is no URL stays as it is.

    >>> shown("s3://AKIA:secret@bucket/logs?region=eu-west-1")
    's3://bucket/logs'
    """
    return "::".join(map(_shown, _LINK.split(url)))


def _shown(url: str) -> str:
    return _divided(url)[0]


def _divided(url: str) -> tuple[str, set[str]]:
    """Return a URL without credentials, and these."""
    start = _START.match(url)
    if start is None:
        return url, set()
    secrets: set[str] = set()
    container = _CONTAINER.match(url)
    if container:
        head, rest = f"{container[1]}@", url[container.end() :]
        secrets.add((container[2] or "")[1:])
    else:
        head, rest = start[0], url[start.end() :]
        user_of = _USER.match if start[1] == "//" else _USER_IN_PATH.match
        while user := user_of(rest):
            secrets.update(user[0][:-1].split(":", 1))
            rest = rest[user.end() :]
        misplaced = _NO_PORT.match(rest) if start[1] == "//" else None
        if misplaced:
            secrets.update(misplaced[0].split(":", 1))
            rest = f"{_HIDDEN}{rest[misplaced.end() :]}"
    tail = _TAIL.search(rest)
    fields = re.split("[?#&;]", tail[0][1:]) if tail else []
    path = rest[: tail.start()] if tail else rest
    is_web = url.lower().startswith("http")
    parameter = _PARAMETER if is_web else _NAMED_PARAMETER
    fields += [one[1:] for one in parameter.findall(path)]
    path = parameter.sub("", path)
    for field in fields:
        key, equals, value = field.partition("=")
        if key not in _HARMLESS:
            secrets.add(value if equals else field)
    return head + path, secrets


def shown_source(source: Any) -> Any:
    """Return the argument of `nbprof.load`, of any type, with credentials removed from its URLs."""
    if isinstance(source, str):
        return shown(source)
    if isinstance(source, PurePath) and shown(str(source)) != str(source):
        return shown(str(source))
    if isinstance(source, Mapping):
        return {rank: shown_source(path) for rank, path in source.items()}
    if isinstance(source, (list, tuple)):
        return [shown_source(path) for path in source]
    return source


def without_secrets(text: str, url: str) -> str:
    """Return a message with the credentials of a URL removed where it quotes the URL."""
    text = text.replace(url, shown(url))
    secrets = set().union(*map(_secrets, _LINK.split(url)))
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, _HIDDEN)
    return text


def _secrets(url: str) -> set[str]:
    _, secrets = _divided(url)
    secrets |= {decode(secret) for secret in secrets for decode in (unquote, unquote_plus)}
    return {secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}
