"""Spoils plain values: numbers, texts and containers, anywhere in a tree."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

from tests.fuzz.mutation.absurd import long_text

if TYPE_CHECKING:
    from random import Random

NUMBERS: Final = (
    *(0, 1, -1, 0.5, -0.0, 127, 128, 255, 2**31 - 1, 2**31, 2**32, -(2**31) - 1),
    *(2**53, 2**53 + 1, 2**62, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64, 2**64 - 1),
    *(10**15, 10**18, 10**19, -(10**18), 10**30, 10**400, 1e15, 1e18, 1e22, -1e18, 1e300, 1e308),
    *(5e-324, 1e-9, 1e-300, float("nan"), float("inf"), float("-inf"), 1.7e308),
)

TEXTS: Final = (
    *("", " ", "\0", "\n", "\r\n", "\t", '"', "\\", "'", ",", ";", ":", "/", "[]", "{}", "null"),
    *("NaN", "Infinity", "-Infinity", "N/A", "nan", "inf", "true", "0", "-1", "1e400", "0x10"),
    *(
        "1_0",
        "\uff11\uff12",
        "²",
        "1.5.5",
        "99999999999999999999",
        "-9223372036854775809",
        "1e-400",
    ),
    *("\x1b]0;owned\x07\x9b31m", "\u202eevil\u2066", "\u2028\u2029", "\ud800", "\udfff\ud800"),
    *("\ufffe", "\U0010ffff", "é" * 300, "x" * 5000, "a(" * 50, "<" * 100, "=cmd|' /C calc'!A0"),
    *("<script>alert(1)</script>", "]]>", "${x}{{y}}%s%n{0}", "../../../etc/passwd", "a.py(-1): f"),
    *("ProfilerStep#1", "ProfilerStep#99999999999999999999", "ProfilerStep#-1", "ProfilerStep#"),
    *("ProfileStep#7", "aten::mm", "[memory]", "process_name", "ncclKernel_AllReduce", "Iteration"),
    *("nn.Module: Net_0", "train.py(7): <module>", "_ZN2at6nativeE", "_Z" + "N" * 200, "cpu_op"),
    *(
        "kernel",
        "gpu_memcpy",
        "python_function",
        "user_annotation",
        "fwdbwd",
        "ac2g",
        "X",
        "i",
        "C",
    ),
    *("Gpu Memory Pool", "HtoD", "fp32", "Stream 7", "cudaLaunchKernel", "[[1, 2], []]", "[", "{"),
    *(
        "[[9223372036854775807, 9223372036854775807]]",
        "[" * 60 + "]" * 60,
        "Float",
        "c10::BFloat16",
    ),
)

KEYS: Final = (
    *("ts", "dur", "ph", "cat", "name", "pid", "tid", "id", "args", "External id", "correlation"),
    *("Call stack", "Input Dims", "Input type", "stream", "device", "Bytes", "Addr", "Device Id"),
    *("Device Type", "Total Reserved", "Total Allocated", "grid", "block", "Sequence number"),
    *("Fwd thread id", "Python id", "Python parent id", "Python module id", "Concrete Inputs"),
    *("Collective name", "In msg nelems", "dtype", "Group size", "Process Group Ranks", "Rank"),
    *(
        "memory bandwidth (GB/s)",
        "bytes",
        "est. achieved occupancy %",
        "blocks per SM",
        "traceName",
    ),
    *("registers per thread", "shared memory", "graph node id", "distributedInfo", "world_size"),
    *(
        "deviceProperties",
        "schemaVersion",
        "baseTimeNanoseconds",
        "displayTimeUnit",
        "rank",
        "frames",
    ),
    *("totalGlobalMem", "computeMajor", "action", "addr", "size", "time_us", "blocks", "segments"),
    *(
        "sort_index",
        "labels",
        "Task Type",
        "value",
        "s",
        "bp",
        "trace_id",
        "with_flops",
        "record_shapes",
    ),
)

#: How deep a value is wrapped at most; `bytewise.PIECES` go deeper, which Python's `json` cannot.
DEEP: Final = 200


def spoil_value(tree: Any, chance: Random) -> Any:
    """Return a tree with one place changed; containers of `tree` change in place."""
    path = _path(tree, chance)
    if not path:
        return _other(tree, chance)
    parent, key = path[-1]
    old = parent[key]
    how = chance.randrange(12)
    if how < 6:
        parent[key] = _other(old, chance)
    elif how == 6:
        del parent[key]
    elif how == 7:
        parent[key] = copy.deepcopy(_anywhere(tree, chance))
    elif how == 8 and isinstance(parent, dict):
        value = parent.pop(key)
        parent[chance.choice(KEYS) if chance.random() < 0.7 else chance.choice(TEXTS)] = value
    elif how == 9 and isinstance(parent, dict):
        parent[chance.choice(KEYS)] = _other(old, chance)
    elif isinstance(parent, list):
        _reorder(parent, key, chance)
    else:
        parent[key] = _other(old, chance)
    return tree


def spoil_all(tree: Any, chance: Random) -> Any:
    """Change one key everywhere that it stands: all times, all ids, all names."""
    dicts = list(_dicts(tree, []))
    if not dicts:
        return spoil_value(tree, chance)
    keys = list(chance.choice(dicts))
    if not keys:
        return tree
    key = chance.choice(keys)
    how = chance.randrange(6)
    number, text = chance.choice(NUMBERS), chance.choice(TEXTS)
    share = chance.choice((1.0, 0.5, 0.1))
    for one in dicts:
        if key not in one or chance.random() > share:
            continue
        value = one[key]
        if how == 0:
            one[key] = number
        elif how == 1:
            one[key] = text
        elif how == 2:
            del one[key]
        elif how == 3 and _is_number(value):
            one[key] = value * chance.choice((1000, 0.001, -1, 1e12, 10**12))
        elif how == 4 and _is_number(value):
            one[key] = value + chance.choice((1e15, -1e15, 10**18, 0.0005, -(2**62)))
        else:
            one[key] = str(value) if chance.random() < 0.5 else _other(value, chance)
    return tree


def _dicts(tree: Any, found: list[dict[Any, Any]]) -> list[dict[Any, Any]]:
    if isinstance(tree, dict):
        found.append(tree)
        for value in tree.values():
            _dicts(value, found)
    elif isinstance(tree, list):
        for value in tree[:2000]:
            _dicts(value, found)
    return found


def _path(tree: Any, chance: Random) -> list[tuple[Any, Any]]:
    """Return a random way down: containers and the keys taken in them."""
    path: list[tuple[Any, Any]] = []
    here = tree
    while isinstance(here, (dict, list)) and here and chance.random() > 0.06:
        key = chance.choice(list(here)) if isinstance(here, dict) else chance.randrange(len(here))
        path.append((here, key))
        here = here[key]
        if len(path) > 40:
            break
    return path


def _anywhere(tree: Any, chance: Random) -> Any:
    path = _path(tree, chance)
    return path[-1][0][path[-1][1]] if path else tree


def _other(old: Any, chance: Random) -> Any:
    """Return a value in place of another, mostly of its type."""
    kind = chance.random()
    if kind < 0.55 and _is_number(old):
        if chance.random() < 0.3 and abs(old) < 1e300:
            return old * chance.choice((2, -1, 1000, 0.5)) + chance.choice((0, 1, -1, 1e6))
        return chance.choice(NUMBERS)
    if kind < 0.55 and isinstance(old, str):
        text = long_text(chance) if chance.random() < 0.02 else chance.choice(TEXTS)
        return chance.choice((text, old + text, text + old, old[: len(old) // 2], old.upper()))
    options = (
        *(None, True, False, [], {}, [[]], [{}], {"": None}),
        *(chance.choice(NUMBERS), chance.choice(TEXTS), str(old)[:200], [old], {"a": old}),
    )
    if chance.random() < 0.04:
        return _wrapped(old, chance.choice((20, DEEP)))
    return chance.choice(options)


def _wrapped(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value]
    return value


def _reorder(items: list[Any], at: int, chance: Random) -> None:
    how = chance.randrange(6)
    if how == 0:
        chance.shuffle(items)
    elif how == 1:
        items.reverse()
    elif how == 2:
        items[at:at] = [copy.deepcopy(items[at]) for _ in range(chance.choice((1, 3, 40)))]
    elif how == 3:
        del items[at : at + chance.choice((1, 10, len(items)))]
    elif how == 4:
        other = chance.randrange(len(items))
        items[at], items[other] = items[other], items[at]
    else:
        items.insert(at, _other(items[at], chance))


def _is_number(value: Any) -> bool:
    """Return whether a value is a number that a float can hold."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and abs(value) < 1e300
