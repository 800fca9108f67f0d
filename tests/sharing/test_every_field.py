"""A secret in any field of a recording is shared only if views show that field."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

import nbprof
from tests.sharing.fields import Planter
from tests.sharing.forms import of_view
from tests.sharing.planted import FORMATS
from tests.sharing.unpacked import contents

if TYPE_CHECKING:
    from pathlib import Path

#: Fields that views show, by the end of what `Planter` calls them.
SHOWN: Final = re.compile(
    r"""(?:
      \.(pid|tid)                                       # processes and threads
    | \.(name|Name|metricName|value)                    # StringTable.value has all names of nvprof
    | \]\.cat | \.Type | \.Component | \.Accelerator\ Core | \.Context\ ID
    | \.args\.(Call\ stack|callstack) | \.Call\ Stack | \.frames\[\]\.(filename|line|name)
    | \.args\.(Input\ Dims|Input\ type|data_type|input_(shapes|dtypes)\.\w+)
    | \.(Input|Output)\ (Data\ Types|Formats|Shapes) | \.HF32\ Eligible | \.OP\ State
    | /3/2/4/1/1 | /3/2/4/2/1/1 | /3/2/6/1/7 | /5/2     # Paddle's names of events, and its version
    | ^function\[(0|2)\]                                # its file and its name
    )$""",
    re.VERBOSE,
)
#: Recordings that are lists of numbers, without records that have fields.
BARE: Final = {"timeline_changes", "timeline_moments"}


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in BARE])
def test_only_fields_that_are_shown_are_shared(name: str, tmp_path: Path) -> None:
    planter = Planter()
    logs = planter.write(name, tmp_path / "logs")
    profile = nbprof.load(logs, progress=False, cache=False)
    assert profile.trace().read().model.tables
    forms = of_view(nbprof.Explorer(profile), tmp_path)
    seen = {
        field
        for value in forms.values()
        for piece in contents(value)
        for field in planter.seen(piece.decode("utf-8", "replace"))
    }
    assert seen, "names are shown"
    assert len(seen) < len(planter.fields), "and not all else"
    assert {field for field in seen if not SHOWN.search(field)} == set()


def test_every_field_has_a_secret(tmp_path: Path) -> None:
    planter = Planter()
    logs = planter.write("kineto_generated", tmp_path)
    [path] = logs.rglob("*.json")
    assert planter.seen(path.read_text()) == set(planter.fields)
    ends = {field.rpartition("]")[2] for field in planter.fields}
    assert {".ph", ".cat", ".ts", ".dur", ".args.correlation", ".args.External id"} <= ends
