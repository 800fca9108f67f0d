"""``nbprof table``: writes one table, filtered, sorted and limited, in a chosen format."""

from __future__ import annotations

import shutil
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from nbprof.cli.output import (
    OutputError,
    expect_writable,
    is_terminal,
    message,
    progress,
    write,
    write_text,
)
from nbprof.cli.table_help import options as known_options
from nbprof.cli.table_options import (
    UsageError,
    check_layout,
    given_options,
    has_all,
    laid_out,
)
from nbprof.cli.trace_selection import FILTER_OPTIONS, chosen_trace, filter_of
from nbprof.export.table_formats import BINARY_FORMATS, BY_SUFFIX
from nbprof.export.tables import table_bytes
from nbprof.loading import load
from nbprof.model.building import arrow_array
from nbprof.model.contract.table import beside, unlinked
from nbprof.model.contract.trace_key import over_workers
from nbprof.model.errors import FilterWarning, NbprofError, OutOfMemoryError, TableError
from nbprof.model.filters.empty_results import filter_text
from nbprof.tables import TABLES
from nbprof.tables.methods import parameters
from nbprof.tables.trace import compute_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from nbprof.model.contract.spec import TableSpec
    from nbprof.model.filters.filter import Filter
    from nbprof.profiles import Profile


def table(args: argparse.Namespace) -> int:
    """Run ``nbprof table`` and return its exit status."""
    spec = TABLES[args.table]
    try:
        data, format_ = _data(args, spec)
    except (NbprofError, OutputError):
        raise
    except Exception as error:
        if TABLES.is_own(spec.name):
            raise
        raise _of_extension(spec.name, error) from error
    if format_ == "text" and args.output is None:
        write_text(data.decode())
    else:
        write(data, args.output)
    return 0


def _of_extension(name: str, error: Exception) -> NbprofError:
    """Return the error that says whose table failed, with what its author needs."""
    what = f"The {TABLES.described(name)} could not be computed"
    calls = "".join(traceback.format_exception(error))
    return OutOfMemoryError.of(what, error) or TableError(
        f"{what}. This is no bug in nbprof: please report it to its author.\n{calls}"
    )


def _data(args: argparse.Namespace, spec: TableSpec) -> tuple[bytes, str]:
    """Return the table as text or bytes in a format, and the format."""
    format_ = _format(args)
    filter_ = _filter(args, spec)
    columns = _columns(args, spec)
    check_layout(args, spec)
    expect_writable(args.output)
    # All errors in the command have been found; now read the data.
    profile = load(args.logdir, progress=progress(), step=args.step_name)
    if args.layout:
        options = given_options(args, spec, known_options())
        return laid_out(chosen_trace(profile, args).filter(filter_), spec, args, options), format_
    result = _make(profile, args, spec, filter_)
    if left_out := unlinked(result):
        rows = "1 row" if left_out == 1 else f"{left_out:,} rows"
        message(f"left out {rows} of device work whose launch and operator are not in the trace.")
    if words := beside(result):
        message(f"{args.table}: {words}.")
    _check_columns(args, result.column_names)
    result = _arrange(result, args, columns or result.column_names)
    if result.num_rows == 0:
        under = f" under the filter ({filter_text(filter_)})" if filter_ else ""
        message(f"{args.table}: no rows{under}")
    width = None
    if format_ == "text" and args.output is None:
        width = shutil.get_terminal_size().columns if is_terminal() else None
    return table_bytes(result, format_, safe=args.safe_csv, width=width), format_


def _format(args: argparse.Namespace) -> str:
    if args.output == "-":
        args.output = None
    format_: str = args.format or "text"
    if args.format is None and args.output is not None:
        format_ = BY_SUFFIX.get(Path(args.output).suffix.lower(), "text")
    if format_ in BINARY_FORMATS and args.output is None and is_terminal():
        text = f"{format_} is a binary format: give a file with -o, or redirect stdout."
        raise UsageError(text)
    if args.safe_csv and format_ != "csv":
        text = "--safe-csv requires --format csv."
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
    """Return the requested columns, after checking all column names in the options.

    Some columns exist only in some traces; these are checked again when the table is computed.
    """
    options = given_options(args, spec, known_options())
    _check_all(args, spec, options)
    columns = spec.columns_under(**options)
    if columns is not None:  # otherwise the recording determines their names
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
        text = "--ascending requires --sort COL."
        raise UsageError(text)
    return list(args.columns or ())


def _check_all(args: argparse.Namespace, spec: TableSpec, options: dict[str, Any]) -> None:
    """Check that the table can be written for all workers and spans."""
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
    """Check that a table has all columns in the options; `more` exist in some tables only."""
    sort = [_sort_column(args.sort, [*names, *more])[0]] if args.sort else []
    for name in (*(args.columns or ()), *sort):
        if name not in names and name not in more:
            text = f"{args.table} has no column {name!r}; it has {', '.join(names)}."
            raise UsageError(text)


def _make(profile: Profile, args: argparse.Namespace, spec: TableSpec, filter_: Filter) -> pa.Table:
    if _is_over_workers(args, spec):
        return _over_workers(profile, args, spec, filter_)
    trace = chosen_trace(profile, args)
    made: pa.Table = compute_table(
        trace.filter(filter_), spec.name, **given_options(args, spec, known_options())
    )
    return made


def _is_over_workers(args: argparse.Namespace, spec: TableSpec) -> bool:
    """Return whether the table covers all workers: on request, and if rows name a worker."""
    names_worker = any(column.name == "worker" for column in spec.columns)
    return args.all or spec.scope == "profile" or (spec.scope == "both" and names_worker)


def _over_workers(
    profile: Profile, args: argparse.Namespace, spec: TableSpec, filter_: Filter
) -> pa.Table:
    """Return the rows of all workers of a run, and report those that could not be read."""
    given = {"run": args.run, "span": args.span, "workers": args.worker, "filter_": filter_}
    taken = {option.name for option, _ in parameters("profile", spec)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made: pa.Table = profile.table(
            spec.name, **{name: value for name, value in given.items() if name in taken}
        )
    for one in caught:
        if not issubclass(one.category, FilterWarning):  # the command reports it itself
            message(str(one.message))
    return made


def _sort_column(sort: str, names: list[str]) -> tuple[str, bool]:
    """Split ``-COL`` into the column and whether to sort in descending order."""
    if sort not in names and sort.startswith("-"):
        return sort[1:], True
    return sort, False


def _arrange(result: pa.Table, args: argparse.Namespace, columns: list[str]) -> pa.Table:
    if args.sort:
        name, down = _sort_column(args.sort, result.column_names)
        texts = pa.types.is_string(result.schema.field(name).type)
        downwards = (down or not texts) and not args.ascending
        order = "descending" if downwards else "ascending"
        # Stable, nulls last: ties keep the order of the table.
        result = result.append_column("", arrow_array(range(result.num_rows), pa.int64()))
        result = result.sort_by([(name, order), ("", "ascending")])
    result = result.slice(0, args.limit)
    return result.select(columns)
