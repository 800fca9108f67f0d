"""Signatures that name every keyword argument, for ``help()``, `inspect` and completion."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")


def named_keywords(fields: type) -> Callable[[F], F]:
    """Name the keyword arguments of a function that takes ``**options: Unpack[fields]``.

    Type checkers read the annotation; ``help()`` and notebooks read the signature, which shows only
    ``**options`` unless it is spelled out.

    Parameters
    ----------
    fields : type
        A TypedDict; every field becomes a keyword argument with the default None.
    """

    def decorate(function: F) -> F:
        plain = signature(function)
        first = [p for p in plain.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        named = [
            Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                default=None,
                annotation=getattr(annotation, "__forward_arg__", annotation),
            )
            for name, annotation in fields.__annotations__.items()
        ]
        function.__signature__ = plain.replace(parameters=[*first, *named])  # type: ignore[attr-defined]
        return function

    return decorate
