"""What is promised about speed and memory, with what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Record = dict[str, Any]
#: Records by the benchmark that they come from.
Records = dict[str, list[Record]]


def budgets(records: Records) -> Iterable[tuple[str, str, str, bool]]:
    """Yield what is promised: about what, the limit, what was found, and whether it holds."""
    for load in records.get("load", ()):
        of = f"{load['json_bytes'] / 1e6:.0f} MB, {load['events']:,} events"
        for key, what, limit, least in (
            ("times_faster_than_hta", f"load and tables, {of}: times as fast as HTA", 10, True),
            ("times_less_processor_time_than_hta", "the same in processor time", 8, True),
            ("times_floor", "the same, times reading and decoding alone", 2.5, False),
            ("peak_bytes_per_json_byte", "peak memory, bytes a byte of JSON", 2, False),
            ("gz_times_plain", "packed file, times the plain one", 1.3, False),
        ):
            value = load.get(key)
            if value is not None:
                sign, holds = ("≥", value >= limit) if least else ("≤", value <= limit)
                yield what, f"{sign} {limit:g}", f"{value:.2f}", holds
        kept = load["ways"].get("nbprof, from the cache")
        if kept:
            seconds = kept["open_s"]
            yield "open it from the cache", "≤ 0.05 s", f"{seconds:.3f} s", seconds <= 0.05
    for large in records.get("large", ()):
        value = large["peak_bytes_per_json_byte"]
        size = f"{large['json_bytes'] / 1e9:.1f} GB: peak memory, bytes a byte of JSON"
        if value is not None:
            yield size, "≤ 2", f"{value:.2f}", value <= 2
    yield from _filter_budgets(records.get("filters", []))
    yield from _growth_budgets(records)
    yield from _screen_budgets(records)
    yield from _diff_budgets(records)
    yield from _cost_budgets(records)
    for record in records.get("timeline", ()):
        fits = record["in_budget"]
        ms, kb = record["reply_s"]["p95"] * 1e3, record["reply_bytes"]["max"] / 1e3
        of = f"timeline of {record['events'] / 1e6:.0f} M events"
        yield f"{of}: window, 95 of 100", "≤ 20 ms", f"{ms:.1f} ms", fits["query"]
        yield f"{of}: largest reply", "≤ 1 MB", f"{kb:.0f} kB", fits["reply"]
    for record in records.get("ranks", ()):
        kept = record["kept_bytes_per_rank"] / 1e6
        yield f"kept of each of {record['ranks']} ranks", "≤ 1 MB", f"{kept:.2f} MB", kept <= 1
    for record in records.get("import", ()):
        value = record["times_pyarrow"]
        yield "`import nbprof`, times `import pyarrow`", "≤ 1.5", f"{value:.2f}", value <= 1.5


def _diff_budgets(records: Records) -> Iterable[tuple[str, str, str, bool]]:
    for record in records.get("diff", ()):
        value, growth = record["times"], record["growth"]
        what = "compare two traces of 0.66 M events, times loading both and the same tables of each"
        yield what, f"≤ {record['budget']:g}", f"{value:.2f}", value <= record["budget"]
        what = "compare: time for each event, times that of a quarter of the traces"
        yield what, "≤ 1.2", f"{growth:.2f}", growth <= 1.2


def _cost_budgets(records: Records) -> Iterable[tuple[str, str, str, bool]]:
    for record in records.get("costs", ()):
        for one in record["tables"]:
            value, limit = one["table_s"], one["budget_s"]
            what = f"`{one['table']}` of {one['count']:,} {one['what']}, once the trace is open"
            yield what, f"≤ {limit:g} s", f"{value:.2f} s", value <= limit


def _growth_budgets(records: Records) -> Iterable[tuple[str, str, str, bool]]:
    for record in records.get("growth", ()):
        value, limit = record["times"], record["budget"]
        what = "2.6 M events: time for each event, times that at 0.13 M"
        yield what, f"≤ {limit:g}", f"{value:.2f}", value <= limit
    for record in records.get("extremes", ()):
        value = max((one["times"] for one in record["tables"]), default=1.0)
        limit = record["budget"]
        what = f"{record['trace']} ({record['size']:,}): times as long as for a quarter"
        yield what, f"≤ {limit:g}", f"{value:.1f}", value <= limit


def _filter_budgets(records: Sequence[Record]) -> Iterable[tuple[str, str, str, bool]]:
    if not records:
        return
    first, *sorts = records
    limits, derived = first["budgets"], first["derived_s"]
    of = f"{first['host_rows'] / 1e6:.1f} M host rows, {first['kernels'] / 1e3:.0f} k kernels"
    total = sum(derived.values())
    limit = limits["derived"]
    yield f"{of}: nesting and links", f"≤ {limit:g} s", f"{total:.2f} s", total <= limit
    table, seconds = max(first["first_s"].items(), key=lambda pair: pair[1])
    limit = limits["table"]
    found = f"{seconds * 1e3:.0f} ms ({table})"
    yield (
        "the slowest table, when first asked for",
        f"≤ {limit * 1e3:.0f} ms",
        found,
        (seconds <= limit),
    )
    seconds, view, sort = max(
        (value, view, record["filter"])
        for record in sorts
        for view, value in record["views_s"].items()
    )
    limit = limits["view"]
    found = f"{seconds * 1e3:.0f} ms ({view}, {sort})"
    yield (
        "all tables of a view under a new filter, at most",
        f"≤ {limit * 1e3:.0f} ms",
        found,
        (seconds <= limit),
    )
    replies = [
        (spent["cpu_s"], view, record["filter"])
        for record in sorts
        for view, spent in record.get("replies", {}).items()
    ]
    if replies:
        seconds, view, sort = max(replies)
        limit = limits["reply"]
        found = f"{seconds * 1e3:.0f} ms ({view}, {sort})"
        title = "a reply with charts under a new filter, processor time, at most"
        yield title, f"≤ {limit * 1e3:.0f} ms", found, seconds <= limit


def _screen_budgets(records: Records) -> Iterable[tuple[str, str, str, bool]]:
    for record in records.get("first_picture", ()):
        for key, what in (
            ("own_s", "first picture of a sample: processor time of Python without other packages"),
            ("whole_s", "the same with their imports"),
        ):
            value, limit = record[key], record["budgets"][key]
            yield what, f"≤ {limit:g} s", f"{value:.2f} s", value <= limit
    clicks = [record for record in records.get("interaction", ()) if "budgets" in record]
    for trace in dict.fromkeys(record["trace"] for record in clicks):
        for key, what in (
            ("python_s", "processor time of Python"),
            ("page_s", "processor time of the page"),
            ("rest_s", "until nothing moves"),
        ):
            worst = max((one for one in clicks if one["trace"] == trace), key=lambda one: one[key])
            value, limit = worst[key], worst["budgets"][key]
            found = f"{value * 1e3:.0f} ms ({worst['view']}, {worst['click']})"
            yield (
                f"{trace}, slowest filter: {what}",
                f"≤ {limit * 1e3:.0f} ms",
                found,
                value <= limit,
            )
    for record in records.get("draw", ()):
        value = record["p95_ms"]
        what = f"draw call of {record['zoom']} at ratio {record['ratio']:g}, 95 of 100"
        yield what, "≤ 16 ms", f"{value:.1f} ms", record["in_budget"]
