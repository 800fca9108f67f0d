"""Recognises URLs, and shows them without credentials.

A URL may contain credentials, before the ``@`` and after the ``?``. The forms shown in tables,
reprs and errors never do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, unquote_plus, urlsplit

if TYPE_CHECKING:
    import os

#: At least two letters, since one is a drive. Chains such as ``zip://*.json::s3://…`` count.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]+)(?:://|::)")

#: The part before the ``@``. After a colon that no port follows, it extends to the last ``@``,
#: since secrets that contain a slash or a question mark are often pasted unescaped.
_USER = re.compile(r"(?<=://)(?:[^/?@:\[]*:(?!\d*(?:[/?]|$))(?:[^?]*|[^@]*)@|[^/?]*@)")
_QUERY = re.compile(r"\?.*", re.DOTALL)
_LINK = re.compile(r"::(?=[A-Za-z][A-Za-z0-9+.\-]*(?:://|::|$))")

#: For these, the part before the ``@`` is the container, and only text after a colon is secret.
_CONTAINER = re.compile(r"^(abfss?://[^/?@:]+)(?::[^?]*)?@")

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
    """Return a URL without credentials: no user, no password, no query.

    >>> shown("s3://AKIA:secret@bucket/logs?region=eu-west-1")
    's3://bucket/logs'
    """
    return "::".join(map(_shown, _LINK.split(url)))


def _shown(url: str) -> str:
    container = _CONTAINER.match(url)
    if container:
        return _QUERY.sub("", f"{container.group(1)}@{url[container.end() :]}")
    return _QUERY.sub("", _USER.sub("", url))


def shown_source(source: Any) -> Any:
    """Return the argument of `nbprof.load`, of any type, with credentials removed from its URLs."""
    if isinstance(source, str):
        return shown(source) if is_url(source) else source
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
    secrets: set[str] = set()
    for user in _USER.findall(url):
        name, _, password = user[:-1].partition(":")
        secrets |= {password} if _CONTAINER.match(url) else {name, password}
    for query in _QUERY.findall(url):
        for pair in query[1:].split("&"):
            key, _, value = pair.partition("=")
            if key not in _HARMLESS:
                secrets.add(value)
    secrets |= {decode(secret) for secret in secrets for decode in (unquote, unquote_plus)}
    return {secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}
