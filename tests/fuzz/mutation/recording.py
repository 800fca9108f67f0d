"""Spoils a whole recording: some of its contents, their bytes, packing, names and places."""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, Final

from tests.fuzz.mutation.absurd import with_long_number
from tests.fuzz.mutation.bytewise import archived, packed, spoil_bytes
from tests.fuzz.mutation.structures import encoded, spoil_content

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from tests.fuzz.seeds import Files

#: Stems of names of files.
STEMS: Final = (
    *("w\nx", "w\x1b]0;owned\x07", "\u202egnp", "w" * 180, " ", "w'\"<b>", "-o", "w*[a]?", "%s{0}"),
    *(
        "\udcff\udcfe",
        "é",
        "rank99999999999999999999",
        "a.b.c",
        "0",
        "CON",
        "=1+1",
        "worker-1",
        "🙂",
    ),
)


def spoiled(files: Files, chance: Random) -> dict[str, bytes]:
    """Return the spoiled files of a recording, which stays as it is."""
    contents = copy.deepcopy(files)
    names = list(contents)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 6))):
        spoil_content(contents[chance.choice(names)], chance)
    found = {name: encoded(content, chance) for name, content in contents.items()}
    if chance.random() < 0.3:
        name = chance.choice(names)
        for _ in range(chance.choice((1, 1, 2, 5))):
            found[name] = spoil_bytes(found[name], chance)
    if chance.random() < 0.06:
        name = chance.choice(names)
        found[name] = with_long_number(found[name], chance)
    if chance.random() < 0.12:
        name = chance.choice(names)
        data, ending = packed(found.pop(name), chance)
        found[name + ending] = data
    if chance.random() < 0.03:
        name = chance.choice(list(found))
        found[name] = archived(found[name], name.rpartition("/")[2], chance)
    if chance.random() < 0.04:
        found[chance.choice(list(found))] = b""
    if len(found) > 1 and chance.random() < 0.1:
        del found[chance.choice(list(found))]
    if chance.random() < 0.08:
        stem = chance.choice(STEMS)
        found = {name.replace("bad", stem): data for name, data in found.items()}
    return found


def written(files: dict[str, bytes], folder: Path, chance: Random) -> None:
    """Write files; sometimes one is a link, a folder, or may not be read."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        odd = chance.random()
        if odd < 0.01:
            path.symlink_to(
                chance.choice(("nowhere", path.name, ".", "/dev/null", "/proc/self/mem"))
            )
        elif odd < 0.015:
            path.mkdir()
        elif odd < 0.02:
            os.mkfifo(path)
        else:
            path.write_bytes(data)
            if odd < 0.03:
                path.chmod(0)
