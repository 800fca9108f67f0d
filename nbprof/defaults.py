"""`nbprof.options`: defaults for views, reading, and saved notebooks and pages."""

from __future__ import annotations

import os
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_MB: Final = 1_000_000


def _itself(value: Any) -> Any:
    return value


class _Option(NamedTuple):
    """One option: its default, its valid values, and the environment variable that sets it.

    `plain` normalizes a value that passed the check, or raises ValueError.
    """

    default: Any
    check: Callable[[Any], bool]
    takes: str
    meaning: str
    variable: str = ""
    plain: Callable[[Any], Any] = _itself


def _one_of(default: str, *others: str, meaning: str, variable: str = "") -> _Option:
    words = (default, *others)
    takes = f"one of {', '.join(map(repr, words))}"
    return _Option(default, words.__contains__, takes, meaning, variable)


def _size(default: int, meaning: str) -> _Option:
    def is_size(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0

    return _Option(default, is_size, "a number of bytes", meaning)


def _count(default: int, meaning: str) -> _Option:
    return _size(default, meaning)._replace(takes="a whole number")


def _switch(meaning: str, *, default: bool) -> _Option:
    return _Option(default, lambda value: isinstance(value, bool), "True or False", meaning)


def _patterns(meaning: str) -> _Option:
    def plain(value: Iterable[Any]) -> tuple[str, ...]:
        from nbprof.model.names.communication_names import checked

        return checked(value)

    takes = "a list of names or /regular expressions/"
    return _Option((), lambda value: isinstance(value, (list, tuple)), takes, meaning, plain=plain)


def _peaks(value: dict[Any, Any]) -> dict[str, dict[str, float]]:
    """Return peak rates by device and type.

    Raises
    ------
    ValueError
        A rate is not a positive number.
    """
    for name, rates in value.items():
        if not (isinstance(name, str) and hasattr(rates, "items")):
            message = f"{name!r} needs a dict of rates by type"
            raise ValueError(message)
        for key, rate in rates.items():
            if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not rate > 0:
                message = f"{name!r}: {key!r} needs a positive number, not {rate!r}"
                raise ValueError(message)
    return {name: dict(rates) for name, rates in value.items()}


_OPTIONS: Final[dict[str, _Option]] = {
    "theme": _one_of("auto", "light", "dark", meaning="Colors; auto follows the notebook."),
    "time_unit": _one_of(
        "auto", "ns", "us", "ms", "s", meaning="Unit of times; auto chooses it to suit the values."
    ),
    "renderer": _one_of(
        "auto",
        "static",
        meaning="auto draws widgets in notebooks; static only HTML, which needs no kernel.",
        variable="NBPROF_RENDERER",
    ),
    "cache": _switch("Whether parsed large files are stored in the cache on disk.", default=True),
    "cache_bytes": _size(
        4 * 1024**3,
        "Maximum size of the cache on disk; the least recently used entries are removed first.",
    ),
    "read_at_once_bytes": _size(
        64 * 1024 * 1024,
        "Files up to this size are read for the summary in a cell's output. The view of a larger"
        " one does not wait for it, unless the file has been read or is in the cache.",
    ),
    "private": _switch(
        "Whether views, saved notebooks and pages shorten the paths in call stacks to the package.",
        default=False,
    ),
    "snapshot_bytes": _size(_MB, "Maximum size of a view's data in a saved notebook."),
    "page_bytes": _size(5 * _MB, "Maximum size of a page written by to_html()."),
    "unpacked_bytes": _size(
        256 * _MB, "Maximum unpacked size of any compressed file; see also unpacked_ratio."
    ),
    "unpacked_ratio": _count(
        100, "Maximum unpacked size of larger compressed files, as a multiple of their size."
    ),
    "follow_links": _switch(
        "Whether a search follows symbolic links that lead out of the directory it was given.",
        default=False,
    ),
    "watch_seconds": _Option(
        5,
        lambda value: not isinstance(value, bool) and 0.5 <= value < float("inf"),
        "a number of seconds, at least 0.5",
        "How often show(..., watch=True) looks for new files.",
    ),
    "communication_names": _patterns(
        "Additional names of kernels and operators that count as communication."
    ),
    "device_peaks": _Option(
        {},
        lambda value: isinstance(value, dict),
        "a dict of dicts, such as {'MI308X': {'bf16': 188, 'memory_tb_per_s': 5.3}}",
        "Peak rates of devices by a part of their names, in TFLOP/s by type.",
        plain=_peaks,
    ),
}


class Options:
    """Default settings for all calls in this process: attributes that are validated when set.

    ``nbprof.options.theme = "dark"`` applies to every view made afterwards; arguments of a call
    take precedence. `describe` explains each option.

    Attributes
    ----------
    theme : {"auto", "light", "dark"}
        Colours of views and summaries.
    time_unit : {"auto", "ns", "us", "ms", "s"}
        Unit of times.
    renderer : {"auto", "static"}
        ``"static"`` draws views as HTML that needs no kernel, script or saved state. The default
        comes from the environment variable ``NBPROF_RENDERER``.
    cache : bool
        Whether `nbprof.load` stores parsed large files in the cache on disk.
    cache_bytes : int
        Maximum size of the cache; with 0, nothing more is stored.
    read_at_once_bytes : int
        Files up to this size are read for the summary in a cell's output.
    private : bool
        Whether views, and what is saved of them, shorten the paths of Python frames to their
        package, as ``show(…, private=True)`` does. Files are named without the folders above the
        path that was passed in any case.
    snapshot_bytes, page_bytes : int
        Maximum size of the data in a saved notebook, and of a page written by ``to_html``.
    unpacked_bytes, unpacked_ratio : int
        How large the content of a compressed file or an archive may be: this many bytes, or this
        many times the size of the file, whichever is more. Content beyond that is not read, and
        counts as damage.
    follow_links : bool
        Whether a search follows symbolic links that lead out of the directory it was given.
    watch_seconds : float
        Seconds between two checks for new files by views that `show` made with ``watch=True``.
    communication_names : list of str
        Additional names that count as communication, in the forms of ``Filter(name=…)``: part of a
        name, ignoring case, or ``/regular expression/``. A kernel counts as communication if a rule
        matches its name or that of its operator. The rules apply to all tables computed afterwards,
        including those of open traces, and are listed in ``trace.metadata["communication_names"]``.
        Assign the whole list; reading it returns a tuple.
    device_peaks : dict of str to dict of str to float
        Peak rates of devices, by a part of their names, ignoring case; ``""`` stands for all
        devices that are not known otherwise. TFLOP/s by type (``bf16``, ``fp8``, ``fp32``, …),
        ``memory_tb_per_s`` and ``link_gb_per_s``. They win over the rates that nbprof knows. Assign
        the whole dict.

    Raises
    ------
    AttributeError
        There is no such option; the message names the closest one.
    ValueError
        The value is invalid; the message says which values are valid.

    Examples
    --------
    >>> nbprof.options.theme = "dark"
    >>> with nbprof.options.having(theme="light"):
    ...     nbprof.options.theme
    'light'
    >>> nbprof.options.describe().splitlines()[0]
    "theme = 'dark': ..."
    >>> nbprof.options.reset()
    """

    __slots__ = ("_values",)
    _values: dict[str, Any]

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {})

    def __getattr__(self, name: str) -> Any:
        option = _option(name)
        if name in self._values:
            return self._values[name]
        given = os.environ.get(option.variable) if option.variable else None
        if not given:
            return option.default
        _check(option.variable, option, given)
        return given

    def __setattr__(self, name: str, value: Any) -> None:
        option = _option(name)
        _check(name, option, value)
        try:
            self._values[name] = option.plain(value)
        except ValueError as error:
            message = f"{name} takes {option.takes}: {error}"
            raise ValueError(message) from error

    def __delattr__(self, name: str) -> None:
        """Reset one option to its default."""
        _option(name)
        self._values.pop(name, None)

    def reset(self) -> None:
        """Reset all options to their defaults."""
        self._values.clear()

    @contextmanager
    def having(self, **values: Any) -> Iterator[None]:
        """Set options for the duration of a ``with`` block.

        Parameters
        ----------
        **values
            Options by name.

        Raises
        ------
        AttributeError, ValueError
            As when an option is set.
        """
        before = dict(self._values)
        try:
            for name, value in values.items():
                setattr(self, name, value)
            yield
        finally:
            for name in values:
                self._values.pop(name, None)
                if name in before:
                    self._values[name] = before[name]

    def describe(self) -> str:
        """Return a line for every option: name, value, meaning and valid values."""
        return "\n".join(
            f"{name} = {getattr(self, name)!r}: {option.meaning} Takes {option.takes}."
            for name, option in _OPTIONS.items()
        )

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *_OPTIONS]

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in _OPTIONS)
        return f"<nbprof.options {values}>"


def _option(name: str) -> _Option:
    if name in _OPTIONS:
        return _OPTIONS[name]
    close = get_close_matches(name, _OPTIONS, 1)
    hint = f"Did you mean {close[0]!r}?" if close else f"There are {', '.join(_OPTIONS)}."
    message = f"There is no option {name!r}. {hint}"
    raise AttributeError(message)


def _check(name: str, option: _Option, value: object) -> None:
    try:
        fits = option.check(value)
    except TypeError:  # a value that cannot be compared is invalid
        fits = False
    if not fits:
        message = f"{name} takes {option.takes}, not {value!r}."
        raise ValueError(message)


#: The object behind `nbprof.options`. Its module has another name, since importing a module
#: `nbprof.options` would replace the attribute by the module.
options: Final = Options()
