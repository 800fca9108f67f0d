"""Recordings of every format with a secret in each field that names a file, host, user or path.

`DATA` stands where nothing that is shown comes from, `FRAME` in the paths of call stacks, which
stay as they were recorded unless a view is private.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from tests.fuzz.contents import Csv, Field, Json, Marshal, Pickle, Protobuf, Sqlite
from tests.fuzz.seeds import NAMES, seed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.fuzz.contents import Content

DATA: Final = "SECRETDATA"
FRAME: Final = "SECRETFRAME"

#: Fields that recorders write, or might, and no view shows.
SPARE: Final[dict[str, Any]] = {
    **dict.fromkeys(("hostname", "host_name", "user", "node", "machine", DATA), DATA),
    **dict.fromkeys(("path", "cwd", "file", "traceName", "trace_name"), f"/home/{DATA}/x"),
    "command_line": f"python /home/{DATA}/train.py --token {DATA}",
    "env": {"TOKEN": DATA, "HOME": f"/home/{DATA}", DATA: "1"},
}
#: Arguments with call stacks, and those whose keys are names that are shown.
_STACKS: Final = frozenset({"Call stack", "Call Stack", "callstack"})
_NAMES: Final = frozenset({"input_shapes", "input_dtypes", "Input type", "input_types"})
_FOLDER: Final = f"/data/{FRAME}/project/"
_FILE: Final = re.compile(r"(?<![\w/.])[\w/]+\.py\b")


def _json(value: Any) -> Any:
    """Add spare fields to every dictionary, and a folder to the files of call stacks."""
    if isinstance(value, list):
        return [_json(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.get("ph") == "C":
        return {**value, **SPARE}  # the arguments of a counter are its series
    found = {key: one if key in _NAMES else _json(one) for key, one in value.items()}
    for key in _STACKS & found.keys():
        found[key] = _stack(found[key])
    if found.get("cat") == "python_function":
        found["name"] = _stack(found["name"])
    return {**found, **{key: one for key, one in SPARE.items() if key not in found}}


def _stack(text: str) -> str:
    return _FILE.sub(lambda found: _FOLDER + found[0].rpartition("/")[2], text)


def _events(value: Any) -> Any:
    """Name the processes of a trace by their commands, and add a frame."""
    events = value["traceEvents"] if isinstance(value, dict) else value
    command = f"python /home/{DATA}/train.py"
    events[:0] = [
        {"ph": "M", "name": name, "pid": 987, "tid": 1, "ts": 0, "args": {key: command}}
        for name, key in (("process_name", "name"), ("process_labels", "labels"))
    ]
    for event in events:
        if event.get("name") == "process_name" and event["args"].get("name") == "python":
            event["args"]["name"] = command
    return value


def _database(database: Sqlite) -> Sqlite:
    """Add columns to every table, tables that other exports have, and texts nobody refers to."""
    _add_sources(database)
    for name, rows in database.tables.items():
        columns, *others = rows
        new = [key for key in SPARE if key.lower() not in {one.lower() for one in columns}]
        filled = [[*row, *(str(SPARE[key]) for key in new)] for row in others]
        database.tables[name] = [[*columns, *new], *filled]
    names = ("COMMAND_LINE", "Hostname", "EXPORT_USER", "EXPORT_HOST", "SESSION_PATH", DATA)
    pairs = [["name", "value"], *([name, f"/home/{DATA}/{name}"] for name in names)]
    for table in ("META_DATA_CAPTURE", "META_DATA_EXPORT", "TARGET_INFO_SYSTEM_ENV"):
        database.tables[table] = [*database.tables.get(table, []), *pairs[1:]] or pairs
        database.tables[table] = [pairs[0], *(row[:2] for row in database.tables[table][1:])]
        database.tables[table] += pairs[1:]
    if "DIAGNOSTIC_EVENT" in database.tables:
        texts = (f"Cannot open /home/{DATA}/report. Why?", f"Host {DATA} was slow. It is {DATA}.")
        database.tables["DIAGNOSTIC_EVENT"] += [[0, 3, text] for text in texts]
    database.tables["TARGET_INFO_PROCESSES"] = [["path", "environment"], [f"/{DATA}/x", DATA]]
    database.tables["Version"] = [["version"], [DATA]]
    database.tables["TARGET_INFO_SYSTEM_ENV"].insert(1, ["Hostname", DATA])
    for table in ("StringIds", "StringTable"):
        if table in database.tables:
            width = len(database.tables[table][0])
            database.tables[table].append([999_999, f"/{DATA}/x", *[DATA] * (width - 2)])
    return database


def _add_sources(database: Sqlite) -> None:
    """Add what names source files: a call of OpenACC, and a range of PyProf around a launch."""
    strings = database.tables.get("StringIds")
    if strings is None:
        return
    file, marker = 555_001, 555_002
    strings += [[file, f"{_FOLDER}saxpy.c"], [marker, f"{{'traceMarker': ['{_FOLDER}net.py:3']}}"]]
    columns, first, *_ = database.tables["CUPTI_ACTIVITY_KIND_RUNTIME"]
    call = dict(zip(columns, first, strict=True))
    database.tables["CUPTI_ACTIVITY_KIND_OPENACC_DATA"] = [
        ["start", "end", "globalTid", "nameId", "srcFile", "lineNo", "bytes"],
        [call["start"], call["end"], call["globalTid"], call["nameId"], file, 12, 64],
    ]
    ranges = database.tables["NVTX_EVENTS"]
    given = {"start": call["start"] - 1, "end": call["end"] + 1, "eventType": 59, "textId": marker}
    given |= {"globalTid": call["globalTid"], "domainId": 0}
    ranges.append([given.get(name) for name in ranges[0]])


def _with_column(table: Csv) -> Csv:
    """Add columns to a table; files of call stacks are in a secret folder."""
    header, *rows = table.rows
    stacks = [at for at, name in enumerate(header) if name in _STACKS]
    changed = [
        [_stack(cell) if at in stacks else cell for at, cell in enumerate(row)] for row in rows
    ]
    new = [str(key) for key in SPARE]
    return Csv([[*header, *new], *([*row, *map(str, SPARE.values())] for row in changed)])


def _message(message: Protobuf) -> Protobuf:
    """Add an entry of extra information, and fields that the schema does not have."""
    for key, value in SPARE.items():
        entry = [Field(1, 2, str(key).encode()), Field(2, 2, str(value).encode())]
        message.fields.append(Field(4, 2, entry))
    message.fields.append(Field(77, 2, DATA.encode()))
    return message


def _functions(profile: Marshal) -> Marshal:
    def moved(value: Any) -> Any:
        if isinstance(value, list):
            return [moved(one) for one in value]
        return _FOLDER + value if isinstance(value, str) and value.endswith(".py") else value

    return Marshal(moved(profile.value))


def _planted(path: str, content: Content) -> Content:
    if isinstance(content, Json):
        is_trace = "trace" in path
        return Json(_json(_events(content.value)) if is_trace else _json(content.value))
    if isinstance(content, Pickle):
        return Pickle(_pickled(content.value))
    planters: dict[type, Callable[[Any], Content]] = {
        Csv: _with_column,
        Protobuf: _message,
        Sqlite: _database,
        Marshal: _functions,
    }
    return planters[type(content)](content)


def _pickled(value: Any) -> Any:
    if isinstance(value, list):
        return [_pickled(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "filename" in value:
        return {**value, "filename": _FOLDER + value["filename"]}
    return {**{key: _pickled(one) for key, one in value.items()}, **SPARE}


def write(name: str, folder: Path) -> Path:
    """Write a recording into a folder of logs, and return that folder."""
    for path, content in seed(name).items():
        target = folder / path.removeprefix("logs/")
        target.parent.mkdir(parents=True, exist_ok=True)
        planted = _planted(path, content).encode()
        end = f" left by {DATA}".encode() if path.endswith(".trace.json") else b""
        target.write_bytes(planted + end)
    return folder


#: Names of all recordings.
FORMATS: Final = NAMES
