"""Reads pickles of plain values one instruction at a time, and refuses all that could do harm.

This is for the few pickles that are not in the form that `pickle_form` knows, where Python's own
unpickler may hang or crash. It takes some ten times as long. What a pickle refers to by name is
refused, and never looked up.
"""

from __future__ import annotations

import io
import pickletools
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

#: Instructions, at most: reading so many takes about half a minute.
_MOST: Final = 10_000_000
#: Keys of a dictionary or members of a set that are no texts, at most: their hashes can be chosen.
_MOST_NUMBERS: Final = 1000
#: Bits of a number and members of a tuple that is a key.
_KEY_BITS: Final = 64
_KEY_LENGTH: Final = 8
#: Instructions before whole numbers in decimal digits.
_DECIMAL: Final = (b"I", b"L")
#: A whole number of more digits than any that is computed with, and than Python accepts.
_TOO_LONG: Final = re.compile(rb"[+-]?[0-9]{4000,}+L?\n?")
#: What such a number is read as: too large as well, but converted at once.
_LARGE: Final = b"9" * 400


class PlainPickleError(ValueError):
    """The data are not a pickle, are damaged, or contain more than plain values."""


def read_plain(data: bytes) -> Any:
    """Return the value of a pickle of plain containers, strings and numbers.

    Parameters
    ----------
    data : bytes

    Raises
    ------
    PlainPickleError
        The pickle is damaged, contains anything else, or has keys that no dictionary needs.

    Examples
    --------
    >>> import pickle
    >>> from nbprof.sources.memory_snapshots.pickle_reader import read_plain
    >>> read_plain(pickle.dumps({"pools": ((0, 1), {2, 3})}))
    {'pools': ((0, 1), {2, 3})}
    """
    machine, ended = _Machine(len(data)), False
    try:
        for opcode, value, _ in islice(pickletools.genops(_Instructions(data)), _MOST):
            _INSTRUCTIONS.get(opcode.name, _unknown)(machine, value)
            ended = opcode.name == "STOP"
        found = machine.stack.pop()
    except PlainPickleError:
        raise
    except (ValueError, TypeError, IndexError, KeyError, OverflowError, AttributeError) as error:
        raise PlainPickleError(damaged(error)) from error
    if not ended:
        message = f"it has over {_MOST:,} instructions, which no pickler would write so"
        raise PlainPickleError(message)
    return found


def damaged(error: Exception) -> str:
    """Return the reason for not reading a pickle that raised an error."""
    return f"it is damaged or not a pickle ({_short(str(error) or type(error).__name__)})"


class _Instructions(io.BytesIO):
    """A pickle whose decimal numbers of thousands of digits are read as shorter ones.

    Python refuses to convert so many digits, since that takes quadratic time; the pickle as a whole
    would be lost for one number.
    """

    _before = b""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes: a single one is an instruction."""
        self._before = super().read(size)
        return self._before

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return what stands after an instruction up to the end of the line."""
        line = super().readline(size)
        if self._before in _DECIMAL and _TOO_LONG.fullmatch(line):
            return (b"-" if line.startswith(b"-") else b"") + _LARGE + b"\n"
        return line


class _Machine:
    """What a pickle works on.

    Parameters
    ----------
    size : int
        Bytes of the pickle.

    Attributes
    ----------
    stack : list
        Values since the last mark.
    below : list of list
        Those before each mark.
    memo : dict
        Values to refer to again, by number.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.stack: list[Any] = []
        self.below: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}

    def allow_keys(self, target: Any, keys: list[Any]) -> None:
        """Check that the keys of a dictionary, or members of a set, are found without delay."""
        for key in keys:
            flat = isinstance(key, tuple) and len(key) <= _KEY_LENGTH
            if not (all(map(_is_atom, key)) if flat else _is_atom(key)):
                message = f"it has a key that no snapshot has, a {type(key).__name__}"
                raise PlainPickleError(message)
        others = sum(not isinstance(key, str) for key in keys)
        others += self._numbers.get(id(target), 0)
        if others > _MOST_NUMBERS:
            message = f"a dictionary in it has over {_MOST_NUMBERS:,} keys that are no texts"
            raise PlainPickleError(message)
        if others:
            self._numbers[id(target)] = others

    def since_mark(self) -> list[Any]:
        """Take the last mark away and return the values after it."""
        values, self.stack = self.stack, self.below.pop()
        return values

    def last(self, count: int) -> list[Any]:
        """Take the last values away and return them."""
        if len(self.stack) < count:
            message = "a value is missing"
            raise PlainPickleError(damaged(ValueError(message)))
        values = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return values


def _is_atom(value: Any) -> bool:
    if isinstance(value, int):
        return value.bit_length() <= _KEY_BITS
    return value is None or isinstance(value, (str, bytes, float))


def _set(machine: _Machine, target: Any, items: list[Any]) -> None:
    if not isinstance(target, dict) or len(items) % 2:
        message = "it sets items of something else than a dictionary"
        raise PlainPickleError(damaged(ValueError(message)))
    machine.allow_keys(target, items[::2])
    target.update(zip(items[::2], items[1::2], strict=True))


def _extend(target: Any, values: list[Any]) -> None:
    if not isinstance(target, list):
        message = "it appends to something else than a list"
        raise PlainPickleError(damaged(ValueError(message)))
    target.extend(values)


def _push(machine: _Machine, value: Any) -> None:
    machine.stack.append(value)


def _constant(make: Callable[[], Any]) -> Callable[[_Machine, Any], None]:
    return lambda machine, _: machine.stack.append(make())


def _tuple_of(count: int) -> Callable[[_Machine, Any], None]:
    return lambda machine, _: machine.stack.append(tuple(machine.last(count)))


def _mark(machine: _Machine, _: Any) -> None:
    machine.below.append(machine.stack)
    machine.stack = []


def _from_mark(make: Callable[[list[Any]], Any]) -> Callable[[_Machine, Any], None]:
    def put(machine: _Machine, _: Any) -> None:
        values = machine.since_mark()
        machine.stack.append(make(values))

    return put


def _dict_of(machine: _Machine, _: Any) -> None:
    items = machine.since_mark()
    machine.stack.append({})
    _set(machine, machine.stack[-1], items)


def _frozen_set(machine: _Machine, _: Any) -> None:
    values = machine.since_mark()
    machine.allow_keys(values, values)
    machine.stack.append(frozenset(values))


def _append(machine: _Machine, _: Any) -> None:
    (value,) = machine.last(1)
    _extend(machine.stack[-1], [value])


def _appends(machine: _Machine, _: Any) -> None:
    values = machine.since_mark()
    _extend(machine.stack[-1], values)


def _set_item(machine: _Machine, _: Any) -> None:
    pair = machine.last(2)
    _set(machine, machine.stack[-1], pair)


def _set_items(machine: _Machine, _: Any) -> None:
    items = machine.since_mark()
    _set(machine, machine.stack[-1], items)


def _add_items(machine: _Machine, _: Any) -> None:
    values = machine.since_mark()
    target = machine.stack[-1]
    if not isinstance(target, set):
        message = "it adds to something else than a set"
        raise PlainPickleError(damaged(ValueError(message)))
    machine.allow_keys(target, values)
    target.update(values)


def _pop(machine: _Machine, _: Any) -> None:
    machine.stack = machine.stack[:-1] if machine.stack else machine.below.pop()


def _pop_mark(machine: _Machine, _: Any) -> None:
    machine.since_mark()


def _memoize(machine: _Machine, _: Any) -> None:
    machine.memo[len(machine.memo)] = machine.stack[-1]


def _keep(machine: _Machine, number: Any) -> None:
    if not 0 <= int(number) < machine.size:
        message = f"it numbers a value {int(number):,}"
        raise PlainPickleError(damaged(ValueError(message)))
    machine.memo[int(number)] = machine.stack[-1]


def _get(machine: _Machine, number: Any) -> None:
    machine.stack.append(machine.memo[int(number)])


def _nothing(_machine: _Machine, _: Any) -> None:
    """Do nothing: the instruction concerns how the data are read."""


def _named(_machine: _Machine, names: Any) -> NoReturn:
    _refuse_name(*str(names).partition(" ")[::2])


def _named_on_stack(machine: _Machine, _: Any) -> NoReturn:
    _refuse_name(*map(str, machine.last(2)))


def _refuse_name(module: str, name: str) -> NoReturn:
    message = (
        f"it requires {_short(module)}.{_short(name)}, but only plain containers, strings"
        " and numbers are read from a pickle"
    )
    raise PlainPickleError(message)


def _outside(machine: _Machine, number: Any) -> NoReturn:
    value = machine.stack[-1] if number is None and machine.stack else number
    shown = _short(repr(value)) if isinstance(value, str) else type(value).__name__
    message = f"it refers to an object outside the file ({shown})"
    raise PlainPickleError(message)


def _unknown(_machine: _Machine, _: Any) -> NoReturn:
    message = "it builds an object that is no plain value"
    raise PlainPickleError(damaged(ValueError(message)))


def _short(text: str) -> str:
    """Return a text from a file in a form that is safe to display."""
    plain = text[:200].encode("ascii", "backslashreplace").decode()
    return plain if len(plain) <= 80 else f"{plain[:80]}…"


_VALUES: Final = (
    *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
    *("STRING", "BINSTRING", "SHORT_BINSTRING", "UNICODE", "SHORT_BINUNICODE", "BINUNICODE"),
    *("BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8"),
)

#: What each instruction of a pickle does; the names are those of Python's `pickletools`.
_INSTRUCTIONS: Final[dict[str, Callable[[_Machine, Any], None]]] = {
    **dict.fromkeys(_VALUES, _push),
    **dict.fromkeys(("PROTO", "FRAME", "STOP"), _nothing),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT"), _keep),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), _get),
    **dict.fromkeys(("GLOBAL", "INST"), _named),
    **dict.fromkeys(("PERSID", "BINPERSID"), _outside),
    "STACK_GLOBAL": _named_on_stack,
    "NONE": _constant(lambda: None),
    "NEWTRUE": _constant(lambda: True),
    "NEWFALSE": _constant(lambda: False),
    "EMPTY_DICT": _constant(dict),
    "EMPTY_LIST": _constant(list),
    "EMPTY_SET": _constant(set),
    "EMPTY_TUPLE": _constant(tuple),
    "TUPLE1": _tuple_of(1),
    "TUPLE2": _tuple_of(2),
    "TUPLE3": _tuple_of(3),
    "MARK": _mark,
    "TUPLE": _from_mark(tuple),
    "LIST": _from_mark(list),
    "DICT": _dict_of,
    "FROZENSET": _frozen_set,
    "APPEND": _append,
    "APPENDS": _appends,
    "SETITEM": _set_item,
    "SETITEMS": _set_items,
    "ADDITEMS": _add_items,
    "POP": _pop,
    "POP_MARK": _pop_mark,
    "DUP": lambda machine, _: machine.stack.append(machine.stack[-1]),
    "MEMOIZE": _memoize,
}
