"""Looks up and stores parsed traces of large files in the cache on disk.

An entry holds the tables of a trace with its nesting, links and steps. Its name is a hash of the
source (path, size, modification time, options) and of the code that read it, so that entries are
never stale: a changed file has another entry.
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

#: Files with fewer events are not cached: parsing them takes no longer than opening an entry.
SMALLEST_EVENTS: Final = 30_000

_writer = Writer()


def find(path: str, state: Any, options: ReadOptions) -> TraceModel | None:
    """Return the cached model of a file, None without an entry.

    An entry of the whole file serves for a part of it, too, since its tables take a filter.

    Parameters
    ----------
    path : str
        The absolute path of the file.
    state : plain value
        The version of the file: size and modification time.
    options : ReadOptions
        Which part of the file is read.
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
            continue  # reading it again will report the error
        cache_folder.touch(entry)
        return model
    return None


def has(path: str, state: Any, options: ReadOptions) -> bool:
    """Return whether a file has an entry, which may still turn out to be damaged."""
    entries = (cache_folder.path_of(_name(key)) for key in _keys(path, state, options))
    return any(entry.exists() for entry in entries)


def _keys(path: str, state: Any, options: ReadOptions) -> list[dict[str, Any]]:
    """Return the keys of the entries that serve a request, the best first."""
    if not cache_folder.belongs_to_user():
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
    """Write the model of a file to the cache in the background, if it is large enough.

    Parameters
    ----------
    model : TraceModel
        The model.
    path, state, options
        As for `find`.
    limit : int
        Maximum size of the cache in bytes.
    """
    if model.metadata.get("events", 0) < SMALLEST_EVENTS or limit <= 0:
        return
    key = _key(path, state, replace(options, strict=False))

    _writer.add(partial(write, model, key, limit))


def write(model: TraceModel, key: dict[str, Any], limit: int) -> None:
    """Write an entry unless it exists; errors are ignored."""
    # A failure (disk, directory, metadata, memory) does not matter: the file itself was read.
    with suppress(Exception):
        name = _name(key)
        if not cache_folder.path_of(name).exists():
            size = sum(table.nbytes for table in model.tables.values())
            with cache_folder.writing(name, size, limit) as file:
                cache_file.write(file, model, key)


def finish() -> None:
    """Wait until all pending entries are written."""
    _writer.finish()


def _key(path: str, state: Any, options: ReadOptions) -> dict[str, Any]:
    """Return the key of an entry, in the form that it has after a round trip through JSON."""
    key = {"path": path, "state": state, "options": asdict(options), "code": code_version()}
    plain: dict[str, Any] = json.loads(json.dumps(key))
    return plain


def _name(key: dict[str, Any]) -> str:
    text = json.dumps(key, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=20).hexdigest()


@lru_cache(maxsize=1)
def code_version() -> str:
    """Return a hash of the code that builds models; other code does not use its entries."""
    digest = hashlib.blake2b(digest_size=12)
    here = Path(__file__).parents[1]
    for place in (here, here.parent / "model"):
        for path in sorted(place.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


code_version()  # at import, while the files are those that run; an update may replace them later
