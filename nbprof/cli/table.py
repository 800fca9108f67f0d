"""``nbprof table``: one table, filtered, sorted and cut, in one of several formats."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from nbprof.cli.choice import FILTER_OPTIONS, chosen_trace, filter_of
from nbprof.cli.output import is_terminal, message, progress, write, write_text
from nbprof.export.formats import BINARY_FORMATS, BY_SUFFIX
from nbprof.export.tables import table_bytes
from nbprof.model.contract import extras as contract_extras
from nbprof.model.contract import kernels as contract_kernels
from nbprof.model.contract import memory as contract_memory
from nbprof.model.contract import modules as contract_modules
from nbprof.model.contract import ranks as contract_ranks
from nbprof.model.contract import stages as contract_stages
from nbprof.model.contract import tables as contract
from nbprof.model.contract.table import unlinked
from nbprof.model.errors import FilterWarning, UnknownNameError
from nbprof.model.filters.notices import named
from nbprof.profile import PROFILE_TABLES, load

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from nbprof.model.filters.filter import Filter
    from nbprof.profile import Profile

_GROUPS = {
    "operators": contract.OPERATOR_GROUPS,
    "operator_parts": contract_stages.PART_GROUPS,
    "kernels": contract.KERNEL_GROUPS,
}
#: Columns that tables have of some recorders only.
_MORE = {
    "operators": (*contract.NPU_OPERATORS, *contract_extras.OPERATORS),
    "kernels": contract_kernels.NPU_KERNELS,
    "device_summary": (*contract.NPU_SUMMARY, *contract_extras.DEVICE_SUMMARY),
    "user_events": contract_extras.USER_EVENTS,
    "memory_curve": contract_memory.MEMORY_CURVE_PEAKS,
    "memory_operators": (contract_memory.MEMORY_KIND, *contract_memory.MEMORY_RELEASES),
    "memory_events": (contract_memory.MEMORY_KIND, *contract_memory.MEMORY_EVENT_DETAILS),
}
#: Tables that a filter does not change.
_UNFILTERED = ("runs", "skipped", "warnings")
#: Tables that only several workers together have, and one that is of all of them by default.
_OVER_WORKERS = (*contract_ranks.PROFILE_TABLES, "device_time")
#: Tables that ``--all`` gives of all workers and spans.
_OF_ALL = tuple(name for name in PROFILE_TABLES if name not in ("runs", "skipped"))


class UsageError(UnknownNameError):
    """The options do not go together, or name what is not there."""


def table(args: argparse.Namespace) -> int:
    """Run ``nbprof table`` and return its exit status."""
    format_ = _format(args)
    filter_ = _filter(args)
    columns = _columns(args)
    # All that can be wrong with the command has been found: now the data.
    profile = load(args.logdir, progress=progress(), step=args.step_name)
    result = _make(profile, args, filter_)
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


def _filter(args: argparse.Namespace) -> Filter:
    filter_ = filter_of(args)
    if args.table in _UNFILTERED and filter_:
        options = ", ".join(f"--{FILTER_OPTIONS[field]}" for field in filter_.to_dict())
        text = f"{args.table} takes no filter ({options})."
        raise UsageError(text)
    return filter_


def _columns(args: argparse.Namespace) -> list[str]:
    """Return the columns that are asked for, checking all that the options name.

    Some columns only some traces have: those are looked for once more when the table is there.
    """
    groups = _GROUPS.get(args.table)
    columns = contract.TABLES[args.table]
    if groups is not None:
        group_by = args.group_by or "name"
        if group_by not in groups:
            text = f"{args.table} cannot be grouped by {group_by!r}, only by {', '.join(groups)}."
            raise UsageError(text)
        columns = contract.grouped(columns, groups, group_by)
    elif args.group_by is not None:
        text = f"{args.table} takes no --group-by; {', '.join(_GROUPS)} do."
        raise UsageError(text)
    _check_all(args)
    if _is_over_workers(args):
        columns = contract.over_workers(columns)
    if args.table == "flame":
        columns = contract_modules.flame_columns(args.by or "host")
    elif args.by or args.order:
        text = f"{args.table} takes no --{'by' if args.by else 'order'}; flame does."
        raise UsageError(text)
    names = [column.name for column in columns]
    if (args.table, args.group_by) != ("kernels", "launch"):  # which has metrics of any name
        more = [column.name for column in _MORE.get(args.table, ()) if column.name not in names]
        _check_columns(args, names, more)
    twice = [name for name in args.columns or () if args.columns.count(name) > 1]
    if twice:
        text = f"--columns names {twice[0]!r} twice."
        raise UsageError(text)
    if args.ascending and not args.sort:
        text = "--ascending goes with --sort COL."
        raise UsageError(text)
    return list(args.columns or ())


def _check_all(args: argparse.Namespace) -> None:
    """Check that all workers and spans can be asked for together."""
    if args.all and args.table not in _OF_ALL:
        text = f"{args.table} takes no --all; {', '.join(_OF_ALL)} do."
        raise UsageError(text)
    if args.all and args.group_by not in (None, "name"):
        text = f"With --all, {args.table} is grouped by name only."
        raise UsageError(text)


def _check_columns(args: argparse.Namespace, names: list[str], more: Sequence[str] = ()) -> None:
    """Check that a table has all columns that the options name; `more` are in some tables only."""
    sort = [_sort_column(args.sort, [*names, *more])[0]] if args.sort else []
    for name in (*(args.columns or ()), *sort):
        if name not in names and name not in more:
            text = f"{args.table} has no column {name!r}; it has {', '.join(names)}."
            raise UsageError(text)


def _make(profile: Profile, args: argparse.Namespace, filter_: Filter) -> pa.Table:
    if args.table == "skipped":
        return profile.skipped()
    if args.table == "runs":
        return _matching(profile.runs(), args)
    if _is_over_workers(args):
        return _over_workers(profile, args, filter_)
    trace = chosen_trace(profile, args)
    given = {name: getattr(args, name) for name in ("group_by", "by", "order")}
    options = {name: value for name, value in given.items() if value}
    made: pa.Table = trace.filter(filter_).made(args.table, **options)
    return made


def _matching(runs: pa.Table, args: argparse.Namespace) -> pa.Table:
    for name in ("run", "worker", "span"):
        wanted = getattr(args, name)
        if wanted is not None:
            known = runs.column(name).unique().to_pylist()
            if wanted not in known:
                text = f"There is no {name} {wanted!r}; there are {', '.join(map(repr, known))}."
                raise UsageError(text)
            runs = runs.filter(pc.equal(runs.column(name), wanted))
    return runs


def _is_over_workers(args: argparse.Namespace) -> bool:
    return args.all or args.table in _OVER_WORKERS


def _over_workers(profile: Profile, args: argparse.Namespace, filter_: Filter) -> pa.Table:
    """Return the rows of the workers of a run, and say which could not be read."""
    before = profile.skipped().num_rows
    options = {"span": args.span, "workers": args.worker}
    if args.table not in _UNFILTERED:
        options["filter_"] = filter_
    with warnings.catch_warnings():  # the command says it itself
        warnings.simplefilter("ignore", FilterWarning)
        made = profile.table(args.table, run=args.run, **options)
    for reason in profile.skipped().column("reason").slice(before).to_pylist():
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
