"""`key_averages` in the layout in which PyTorch prints it, character for character.

The layout, and how numbers are rounded and scaled, follow `EventList.table` of PyTorch 2.13. Where
stacks and FLOPs are shown together, PyTorch prints each under the title of the other; here they
are under their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.operators.key_averages.key_averages import sorted_rows
from nbprof.analysis.operators.key_averages.sorting import sort_column
from nbprof.export.text.printed_numbers import flops_scale, memory_text, share_text, time_text
from nbprof.model.building import arrow_array
from nbprof.model.visible_text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from nbprof.analysis.operators.key_averages.averages import Averages

_GAP: Final = 2
_NUMBER: Final = 12
#: A cell, by the name of its column.
_Row = dict[str, Any]


@dataclass(frozen=True)
class Layout:
    """How the table is printed; the parameters of PyTorch's `table` with their defaults.

    Parameters
    ----------
    sort_by : str, optional
        A sort key, see `nbprof.analysis.operators.key_averages.sorting`.
    row_limit : int, optional
        Maximum number of rows; -1 for all.
    max_src_column_width, max_name_column_width, max_shapes_column_width : int or None, optional
        Maximum widths of columns; None for no maximum.
    header : str, optional
        A line above the table.
    top_level_events_only : bool, optional
        Whether to keep only rows whose first call is in no other.
    time_unit : {"s", "ms", "us"}, optional
        Unit of all times; by default each has its own.
    """

    sort_by: str | None = None
    row_limit: int = 100
    max_src_column_width: int | None = 75
    max_name_column_width: int | None = 55
    max_shapes_column_width: int | None = 80
    header: str | None = None
    top_level_events_only: bool = False
    time_unit: str | None = None


@dataclass(frozen=True)
class Recorded:
    """What was recorded, which decides about columns.

    Attributes
    ----------
    memory, flops : bool
        Whether memory and FLOPs were requested.
    device : str
        Name of the device in titles, such as CUDA.
    """

    memory: bool
    flops: bool
    device: str


@dataclass(frozen=True)
class _Column:
    """A column: title, width, side of the text, and the text of a row."""

    title: str
    width: int
    cell: Callable[[_Row], Any]
    side: str = ">"


def printed_averages(made: Averages, recorded: Recorded, layout: Layout) -> str:
    """Return the table as text, empty without rows.

    Parameters
    ----------
    made : Averages
        The rows in the order of first calls, with times rounded like PyTorch
        (`nbprof.analysis.operators.key_averages.times`).
    recorded : Recorded
        What was recorded.
    layout : Layout
        How to print it.

    Raises
    ------
    UnknownNameError
        There is no such sort key.
    """
    column = sort_column(layout.sort_by)
    table = made.table.append_column("is_top_level", arrow_array(made.is_top_level))
    if column is not None:
        table = sorted_rows(table, column)
    rows = [_printable(row) for row in table.to_pylist()]
    if not rows:
        return ""
    host = device = 0.0
    for row in rows:  # one after the other, as the sum's last bit depends on the order
        host += row["host_self_us"]
        if row["device_type"] != "cpu" and not row["user_annotation"]:
            device += row["device_self_us"] or 0.0
    columns = _columns(rows, recorded, layout, host, device)
    lines = list(_lines(rows, columns, layout))
    lines.append(f"Self CPU time total: {time_text(host, layout.time_unit)}")
    if _has_device_time(rows):
        total = time_text(device, layout.time_unit)
        lines.append(f"Self {recorded.device} time total: {total}")
    return "".join(line + "\n" for line in lines)


def _printable(row: _Row) -> _Row:
    """Make control characters in names and frames visible, as in all output to terminals."""
    return {name: printable(cell) if isinstance(cell, str) else cell for name, cell in row.items()}


def _lines(rows: Sequence[_Row], columns: Sequence[_Column], layout: Layout) -> Iterator[str]:
    """Return the lines of the table without its sums."""
    gap = " " * _GAP

    def line(cells: Sequence[Any]) -> str:
        pairs = zip(cells, columns, strict=True)
        return "".join(f"{cell!s:{c.side}{c.width}}{gap}" for cell, c in pairs)

    rule = "".join("-" * column.width + gap for column in columns)
    double = "=" * (len(rule) - _GAP)
    if layout.header is not None:
        yield from (double, layout.header)
    if layout.top_level_events_only:
        yield from (double, "This report only display top-level ops statistics")
    yield rule
    yield line([column.title for column in columns])
    yield rule
    titles = [column.title for column in columns]
    source = titles.index(_SOURCE) if _SOURCE in titles else -1
    shown = [row for row in rows if row["is_top_level"] or not layout.top_level_events_only]
    for row in shown if layout.row_limit < 0 else shown[: layout.row_limit]:
        yield line([column.cell(row) for column in columns])
        if source < 0:
            continue
        for frame in _frames(row)[1:]:
            cells = [""] * len(columns)
            cells[source] = _tail(frame, columns[source].width)
            yield line(cells)
        yield line([""] * len(columns))
    yield rule


_SOURCE: Final = "Source Location"


def _columns(
    rows: Sequence[_Row], recorded: Recorded, layout: Layout, host: float, device: float
) -> list[_Column]:
    """Return the columns of the table; `host` and `device` are the sums of self times."""
    most = layout.max_name_column_width
    width = _least(max(len(row["name"]) for row in rows) + 4, most)
    unit = layout.time_unit

    def time(title: str, value: Callable[[_Row], float]) -> _Column:
        return _Column(title, _NUMBER, lambda row: time_text(value(row), unit))

    def total_share(row: _Row) -> str:
        return "0" if row["asynchronous"] else share_text(row["host_total_us"], host)

    found = [_Column("Name", width, lambda row: _head(row["name"], most))]
    if any(row.get("overload_name") for row in rows):
        found.append(_Column("Overload Name", width, lambda row: _head(row["overload_name"], most)))
    found += [
        _Column("Self CPU %", _NUMBER, lambda row: share_text(row["host_self_us"], host)),
        time("Self CPU", lambda row: row["host_self_us"]),
        _Column("CPU total %", _NUMBER, total_share),
        time("CPU total", lambda row: row["host_total_us"]),
        time("CPU time avg", lambda row: row["host_mean_us"]),
    ]
    name = recorded.device
    if _has_device_time(rows):
        found += [
            time(f"Self {name}", lambda row: row["device_self_us"]),
            _Column(f"Self {name} %", _NUMBER, lambda r: share_text(r["device_self_us"], device)),
            time(f"{name} total", lambda row: row["device_total_us"]),
            time(f"{name} time avg", lambda row: row["device_mean_us"]),
        ]
    if recorded.memory:
        found += _memory_columns("CPU", "host")
        if any((row["device_self_memory_bytes"] or 0) > 0 for row in rows):
            found += _memory_columns(name, "device")
    found.append(_Column("# of Calls", _NUMBER, lambda row: row["calls"]))
    return [*found, *_last_columns(rows, recorded, layout)]


def _last_columns(rows: Sequence[_Row], recorded: Recorded, layout: Layout) -> Iterator[_Column]:
    """Return the columns of shapes, stacks and FLOPs that have any value."""
    shapes = [row.get("input_shapes", "") for row in rows]
    if any(shape not in ("", "[]") for shape in shapes):
        room = _least(max(map(len, shapes)) + 4, layout.max_shapes_column_width)
        yield _Column("Input Shapes", room, lambda row: row["input_shapes"][:room])
    frames = [frame for row in rows for frame in _frames(row)]
    if frames:
        wide = _least(max(map(len, frames)) + 4, layout.max_src_column_width)
        yield _Column(_SOURCE, wide, lambda row: _tail((_frames(row) or [""])[0], wide), "<")
    flops = [row["flops"] for row in rows if (row["flops"] or 0) > 0]
    if recorded.flops and flops:
        scale, unit = flops_scale(min(flops))

        def text(row: _Row) -> str:
            return f"{row['flops'] * scale:8.3f}" if (row["flops"] or 0) > 0 else "--"

        yield _Column(f"Total {unit}", _NUMBER, text)


def _memory_columns(title: str, side: str) -> list[_Column]:
    return [
        _Column(f"{title} Mem", _NUMBER, lambda row: memory_text(row[f"{side}_memory_bytes"])),
        _Column(
            f"Self {title} Mem",
            _NUMBER,
            lambda row: memory_text(row[f"{side}_self_memory_bytes"]),
        ),
    ]


def _has_device_time(rows: Sequence[_Row]) -> bool:
    return any((row["device_self_us"] or 0) > 0 for row in rows)


def _frames(row: _Row) -> list[str]:
    stack = row.get("call_stack")
    return stack.split(";") if stack else []


def _least(width: int, most: int | None) -> int:
    return width if most is None else min(width, most)


def _head(text: str, most: int | None) -> str:
    """Shorten a name at its end."""
    if most is None or len(text) < most - 3:
        return text
    return text[: most - 3] + "..."


def _tail(path: str, width: int) -> str:
    """Shorten a frame at its beginning."""
    if len(path) <= width:
        return path
    path = path[len(path) - width :]
    return "..." + path[3:] if len(path) > len("...") else path
