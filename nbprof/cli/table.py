"""``nbprof table``: one table, filtered, sorted and cut, in one of several formats."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nbprof.cli.choice import FILTER_OPTIONS, chosen_trace, filter_of
from nbprof.cli.output import is_terminal, message, progress, write, write_text
from nbprof.cli.table_options import UsageError, given_options, has_all
from nbprof.export.formats import BINARY_FORMATS, BY_SUFFIX
from nbprof.export.tables import table_bytes
from nbprof.model.contract.places import over_workers
from nbprof.model.contract.table import unlinked
from nbprof.model.errors import FilterWarning
from nbprof.model.filters.notices import named
from nbprof.profile import load
from nbprof.tables import TABLES
from nbprof.tables.methods import parameters

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from nbprof.model.contract.spec import TableSpec
    from nbprof.model.filters.filter import Filter
    from nbprof.profile import Profile


def table(args: argparse.Namespace) -> int:
    """Run ``nbprof table`` and return its exit status."""
    spec = TABLES[args.table]
    format_ = _format(args)
    filter_ = _filter(args, spec)
    columns = _columns(args, spec)
    # All that can be wrong with the command has been found: now the data.
    profile = load(args.logdir, progress=progress(), step=args.step_name)
    result = _make(profile, args, spec, filter_)
    if left_out := unlinked(result):
        rows = "1 row" if left_out == 1 else f"{left_out:,} rows"
        message(f"left out {rows} of device work: neither launch nor operator is in the trace.")
    _check_columns(args, result.column_names)
    result = _arrange(result, args, columns or result.column_names)
    if result.num_rows == 0:
        under = f" under the filter ({named(filter_)})" if filter_ else ""
        message(f"{args.table}: no rows{under}")
    width = None
    if format_ == "text" and args.output is None:
        width = shutil.get_terminal_size().columns if is_terminal() else None
    data = table_bytes(result, format_, safe=args.safe_csv, width=width)
    if format_ == "text" and args.output is None:
        write_text(data.decode())
    else:
        write(data, args.output)
    return 0


def _format(args: argparse.Namespace) -> str:
    if args.output == "-":
        args.output = None
    format_: str = args.format or "text"
    if args.format is None and args.output is not None:
        format_ = BY_SUFFIX.get(Path(args.output).suffix.lower(), "text")
    if format_ in BINARY_FORMATS and args.output is None and is_terminal():
        text = f"{format_} is no text for a terminal: name a file with -o, or redirect stdout."
        raise UsageError(text)
    if args.safe_csv and format_ != "csv":
        text = "--safe-csv goes with --format csv."
        raise UsageError(text)
    return format_


def _filter(args: argparse.Namespace, spec: TableSpec) -> Filter:
    filter_ = filter_of(args)
    if filter_ and not spec.filtered:
        options = ", ".join(f"--{FILTER_OPTIONS[field]}" for field in filter_.to_dict())
        text = f"{spec.name} takes no filter ({options})."
        raise UsageError(text)
    return filter_


def _columns(args: argparse.Namespace, spec: TableSpec) -> list[str]:
    """Return the columns that are asked for, checking all that the options name.

    Some columns only some traces have: those are looked for once more when the table is there.
    """
    options = given_options(args, spec)
    _check_all(args, spec, options)
    columns = spec.columns_under(**options)
    if columns is not None:  # else the recording decides what they are called
        if _is_over_workers(args, spec):
            columns = over_workers(columns)
        names = [column.name for column in columns]
        more = [column.name for column in spec.extra_columns if column.name not in names]
        _check_columns(args, names, more)
    twice = [name for name in args.columns or () if args.columns.count(name) > 1]
    if twice:
        text = f"--columns names {twice[0]!r} twice."
        raise UsageError(text)
    if args.ascending and not args.sort:
        text = "--ascending goes with --sort COL."
        raise UsageError(text)
    return list(args.columns or ())


def _check_all(args: argparse.Namespace, spec: TableSpec, options: dict[str, Any]) -> None:
    """Check that all workers and spans can be asked for together."""
    if not args.all:
        return
    if not has_all(spec):
        others = ", ".join(one.name for one in TABLES.specs() if has_all(one))
        text = f"{spec.name} takes no --all; {others} do."
        raise UsageError(text)
    for option in spec.all_options:
        if options.get(option.name, option.default) != option.default:
            text = f"With --all, {spec.name} takes {option.flag} {option.default} only."
            raise UsageError(text)


def _check_columns(args: argparse.Namespace, names: list[str], more: Sequence[str] = ()) -> None:
    """Check that a table has all columns that the options name; `more` are in some tables only."""
    sort = [_sort_column(args.sort, [*names, *more])[0]] if args.sort else []
    for name in (*(args.columns or ()), *sort):
        if name not in names and name not in more:
            text = f"{args.table} has no column {name!r}; it has {', '.join(names)}."
            raise UsageError(text)


def _make(profile: Profile, args: argparse.Namespace, spec: TableSpec, filter_: Filter) -> pa.Table:
    if _is_over_workers(args, spec):
        return _over_workers(profile, args, spec, filter_)
    trace = chosen_trace(profile, args)
    made: pa.Table = trace.filter(filter_).made(spec.name, **given_options(args, spec))
    return made


def _is_over_workers(args: argparse.Namespace, spec: TableSpec) -> bool:
    """Whether the table is of all workers: where that is asked for, and if each row names one."""
    names_worker = any(column.name == "worker" for column in spec.columns)
    return args.all or spec.scope == "profile" or (spec.scope == "both" and names_worker)


def _over_workers(
    profile: Profile, args: argparse.Namespace, spec: TableSpec, filter_: Filter
) -> pa.Table:
    """Return the rows of the workers of a run, and say which could not be read."""
    before = len(profile.unreadable)
    given = {"run": args.run, "span": args.span, "workers": args.worker, "filter_": filter_}
    taken = {option.name for option, _ in parameters("profile", spec)}
    with warnings.catch_warnings():  # the command says it itself
        warnings.simplefilter("ignore", FilterWarning)
        made: pa.Table = profile.table(
            spec.name, **{name: value for name, value in given.items() if name in taken}
        )
    for _, reason in profile.unreadable[before:]:
        message(reason)
    return made


def _sort_column(sort: str, names: list[str]) -> tuple[str, bool]:
    """Split ``-COL`` into the column and whether it is to go downwards."""
    if sort not in names and sort.startswith("-"):
        return sort[1:], True
    return sort, False


def _arrange(result: pa.Table, args: argparse.Namespace, columns: list[str]) -> pa.Table:
    if args.sort:
        name, down = _sort_column(args.sort, result.column_names)
        texts = pa.types.is_string(result.schema.field(name).type)
        downwards = (down or not texts) and not args.ascending
        order = "descending" if downwards else "ascending"
        # Stable, with nulls last: ties keep the order of the table.
        result = result.append_column("", pa.array(range(result.num_rows), pa.int64()))
        result = result.sort_by([(name, order), ("", "ascending")])
    result = result.slice(0, args.limit)
    return result.select(columns)
