"""The cache: what was read of large files, kept on disk for the next time.

An entry holds the tables of a trace with its nesting, links and steps. It is named by what was read
(path, size, time of the last change, options) and by the code that read it, so that an entry is
never out of date: of a file that has changed another one is looked for.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nbprof.sources.cache import file as cache_file
from nbprof.sources.cache import folder as cache_folder
from nbprof.sources.cache.file import CacheFileError
from nbprof.sources.cache.writer import Writer
from nbprof.sources.options import ReadOptions

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: Of fewer events, reading takes no longer than opening.
SMALLEST_EVENTS: Final = 30_000

_writer = Writer()


def find(path: str, state: Any, options: ReadOptions) -> TraceModel | None:
    """Return what is kept of a file, None without it.

    Of what was asked to be a part the whole will do, since its tables are under a filter.

    Parameters
    ----------
    path : str
        The file, in full.
    state : plain value
        What changes with it: size and time of the last change.
    options : ReadOptions
        What is taken of it.
    """
    for key in _keys(path, state, options):
        entry = cache_folder.path_of(_name(key))
        try:
            with cache_folder.opened(entry) as file:
                model = cache_file.read(file, key)
        except FileNotFoundError:
            continue
        except CacheFileError:
            with suppress(OSError):
                entry.unlink()
            continue
        except OSError:
            continue
        if options.strict and model.warnings:
            continue  # reading says what is wrong
        cache_folder.touch(entry)
        return model
    return None


def has(path: str, state: Any, options: ReadOptions) -> bool:
    """Whether something is kept of a file, which may still turn out to be damaged."""
    entries = (cache_folder.path_of(_name(key)) for key in _keys(path, state, options))
    return any(entry.exists() for entry in entries)


def _keys(path: str, state: Any, options: ReadOptions) -> list[dict[str, Any]]:
    """Return the keys of the entries that will do, the best first."""
    if not cache_folder.is_ours():
        return []
    lenient = replace(options, strict=False)
    whole = ReadOptions(without=options.without)
    return [_key(path, state, one) for one in dict.fromkeys((lenient, whole))]


def keep(
    model: TraceModel,
    path: str,
    state: Any,
    options: ReadOptions,
    *,
    limit: int = cache_folder.LIMIT,
) -> None:
    """Keep what was read of a file, if it is large enough; it is written in the background.

    Parameters
    ----------
    model : TraceModel
        What was read.
    path, state, options
        As for `find`.
    limit : int
        Most bytes that the cache may take.
    """
    if model.metadata.get("events", 0) < SMALLEST_EVENTS or limit <= 0:
        return
    key = _key(path, state, replace(options, strict=False))

    _writer.add(partial(write, model, key, limit))


def write(model: TraceModel, key: dict[str, Any], limit: int) -> None:
    """Write an entry, unless it is there already; what goes wrong is no one's concern."""
    # Whatever it is: the disk, the folder, odd metadata, too little memory. Reading went well.
    with suppress(Exception):
        name = _name(key)
        if not cache_folder.path_of(name).exists():
            size = sum(table.nbytes for table in model.tables.values())
            with cache_folder.writing(name, size, limit) as file:
                cache_file.write(file, model, key)


def finish() -> None:
    """Wait until everything is written that is to be kept."""
    _writer.finish()


def _key(path: str, state: Any, options: ReadOptions) -> dict[str, Any]:
    """Return what an entry is about, as it is after being written as JSON."""
    key = {"path": path, "state": state, "options": asdict(options), "code": code_version()}
    plain: dict[str, Any] = json.loads(json.dumps(key))
    return plain


def _name(key: dict[str, Any]) -> str:
    text = json.dumps(key, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=20).hexdigest()


@lru_cache(maxsize=1)
def code_version() -> str:
    """Return a mark of the code that makes models: what it made is not read by any other."""
    found = hashlib.blake2b(digest_size=12)
    here = Path(__file__).parents[1]
    for place in (here, here.parent / "model"):
        for path in sorted(place.rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()


code_version()  # now, while these files are the ones that run: they may be updated meanwhile
