"""What the benchmarks found, as a page: budgets first, then every number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from report.budgets import budgets
from report.measure import describe
from report.tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from report.budgets import Record, Records

HEAD = """\
# Results

Written by `make bench`, and by `make bench-large` where it says so; do not edit. What is measured,
and how, stands in [README.md](README.md). Seconds say as much about the machine as about the code:
compare the ratios.
"""


def page(records: Records, facts: Record) -> str:
    """Return the whole page.

    Parameters
    ----------
    records : dict of str to list of dict
        What the benchmarks printed; those that were not run are left out.
    facts : dict
        The machine, with ``when``, ``version`` and ``load`` (cores in use before).
    """
    busy = facts["load"] > 0.3 * (facts["cores"] or 1)
    parts = [HEAD, f"{describe(facts)}; nbprof {facts['version']}, {facts['when']}.\n"]
    if busy:
        parts.append(
            f"**The machine was busy** when this began ({facts['load']:.1f} of its {facts['cores']}"
            " cores were in use): seconds are too high, and so are ratios that compare"
            " several processes with one.\n"
        )
    parts.append(_budgets(records))
    for title, key, section in (
        ("Loading and first tables", "load", _load),
        ("Do the tables agree?", "load", _agreements),
        ("2 GB of JSON", "large", _large),
        ("Tables under a new filter", "filters", _filters),
        ("Growth", "growth", _growth),
        ("Two runs", "diff", _diff),
        ("Extremes", "extremes", _extremes),
        ("Timeline", "timeline", _timeline),
        ("Many ranks", "ranks", _ranks),
        ("Import", "import", _import),
        ("The first picture", "first_picture", _first_picture),
        ("Clicks", "interaction", _clicks),
        ("Drawing the timeline", "draw", _draw),
    ):
        if records.get(key):
            parts.append(f"## {title}\n\n{section(records[key])}")
    return "\n".join(parts)


def _budgets(records: Records) -> str:
    rows = [
        (what, limit, found, "yes" if holds else "**no**")
        for what, limit, found, holds in budgets(records)
    ]
    return table(("", "budget", "found", "kept"), rows, "lrrl")


def _load(records: Sequence[Record]) -> str:
    (load,) = records
    first = load["ways"]["nbprof"]["total_s"]
    rows = []
    for name, way in load["ways"].items():
        low, high = way["spread_s"]
        label = f"{_title(name)} {way['version'] or ''}".strip()
        times = f"{way['total_s'] / first:.2f}"
        spread = f"{low:.2f} to {high:.2f}"
        cells = (label, f"{way['total_s']:.2f}", spread, times, f"{way['wall_s']:.2f}")
        used = _whole(way["cpu_s"], 1, 1), _whole(way["peak_pss_bytes"], 1e-6)
        rows.append((*cells, *used))
    columns = ("", "s", "range", "times nbprof", "whole process s", "processor s", "peak MB")
    intro = (
        f"`{load['trace']}`: {load['json_bytes'] / 1e6:.0f} MB, {load['events']:,} events; medians"
        f" of {load['repeat']} turns; imports count in the columns from the whole process on.\n\n"
    )
    return f"{intro}{table(columns, rows, 'lrrrrrr')}\n{_phases(load['ways'])}"


def _phases(ways: Record) -> str:
    shown = [name for name in ways if name.startswith("nbprof")]
    phases = list(ways[shown[0]]["seconds"])
    rows = [(phase, *(f"{ways[name]['seconds'][phase]:.3f}" for name in shown)) for phase in phases]
    ours = table(("seconds", *map(_title, shown)), rows, "l" + "r" * len(shown))
    used = [
        (phase, *(f"{ways[name]['cpu_seconds'].get(phase, 0):.3f}" for name in shown))
        for phase in ways[shown[0]].get("cpu_seconds", {})
    ]
    if used:
        named = ("processor seconds", *map(_title, shown))
        ours += "\n" + table(named, used, "l" + "r" * len(shown))
    theirs = [
        f"{_title(name)}: "
        + ", ".join(f"{phase} {value:.2f} s" for phase, value in ways[name]["seconds"].items())
        for name in ways
        if not name.startswith("nbprof")
    ]
    return ours + "\n" + "\n".join(f"- {line}" for line in theirs) + "\n"


def _title(name: str) -> str:
    from peers.environments import PEERS

    return PEERS[name].title if name in PEERS else name


def _agreements(records: Sequence[Record]) -> str:
    (load,) = records
    if not load["agreements"]:
        return "No other tool was run.\n"
    rows = []
    reasons: dict[str, int] = {}
    for one in load["agreements"]:
        note = ""
        if one["reason"] and one["equal"] < one["rows"]:
            note = f"[{reasons.setdefault(one['reason'], len(reasons) + 1)}]"
        verdict = "yes" if one["equal"] == one["rows"] else note or "**no**"
        equal = f"{one['equal']} of {one['rows']}"
        rows.append((one["trace"], one["peer"], one["table"], one["column"], equal))
        rows[-1] = (*rows[-1], f"{one['largest']:.1e}", one["tolerance"], verdict)
    columns = ("trace", "with", "table", "column", "rows equal", "largest", "tolerance", "agrees")
    notes = "".join(f"\n[{number}] {reason}.\n" for reason, number in reasons.items())
    return table(columns, rows, "llllrrll") + notes


def _large(records: Sequence[Record]) -> str:
    (large,) = records
    way = large["ways"]["nbprof"]
    rate = large["json_bytes"] / 1e6 / way["seconds"]["read"]
    return (
        f"{large['json_bytes'] / 1e9:.2f} GB, {large['events']:,} events: read in"
        f" {way['seconds']['read']:.1f} s ({rate:.0f} MB/s), with all tables in"
        f" {way['total_s']:.1f} s; peak memory {_whole(way['peak_pss_bytes'], 1e-6)} MB. By"
        " `make bench-large`.\n"
    )


def _filters(records: Sequence[Record]) -> str:
    first, *sorts = records
    tables = list(first["first_s"])
    rows = [("first, unfiltered", *_milliseconds(first["first_s"], tables), "")]
    for record in sorts:
        most = max(record["views_s"].values()) * 1e3
        rows.append((record["filter"], *_milliseconds(record["median_s"], tables), f"{most:.0f}"))
    derived = ", ".join(f"{name} {value:.2f} s" for name, value in first["derived_s"].items())
    intro = (
        f"{first['host_rows']:,} host rows, {first['kernels']:,} kernels; before, once: {derived}."
        " Milliseconds, medians of filters that the trace had not seen; the last column is the"
        " slowest view, all its tables together.\n\n"
    )
    found = table(("", *tables, "view"), rows, "l" + "r" * (len(tables) + 1))
    return intro + found + _replies(sorts)


def _replies(sorts: Sequence[Record]) -> str:
    told = [record for record in sorts if record.get("replies")]
    if not told:
        return ""
    views = list(told[0]["replies"])
    rows = [
        (
            record["filter"],
            *(
                f"{spent['wall_s'] * 1e3:.0f} / {spent['cpu_s'] * 1e3:.0f}"
                for spent in record["replies"].values()
            ),
        )
        for record in told
    ]
    intro = "\nReplies with charts and all their tables, milliseconds by the clock / of processors:"
    return f"{intro}\n\n{table(('', *views), rows, 'l' + 'r' * len(views))}"


def _growth(records: Sequence[Record]) -> str:
    (record,) = records
    small, large = record["sizes"]
    rows = [
        (phase, f"{value * 1e9:.1f}", f"{large['s_per_event'][phase] * 1e9:.1f}")
        for phase, value in small["s_per_event"].items()
    ]
    columns = (
        "ns of processor time for each event",
        *(f"{one['events']:,}" for one in (small, large)),
    )
    return f"`{record['source']}` repeated.\n\n{table(columns, rows, 'lrr')}"


def _diff(records: Sequence[Record]) -> str:
    (record,) = records
    rows = [
        (name, f"{record[way]['cpu_s']:.2f}", f"{record[way]['wall_s']:.2f}")
        for way, name in (("alone", "both, each alone"), ("compared", "compared, all tables"))
    ]
    intro = f"Two traces of {record['events']:,} events, loading included, without the cache."
    return f"{intro}\n\n{table(('', 's of the processor', 's wall'), rows, 'lrr')}"


def _extremes(records: Sequence[Record]) -> str:
    rows = []
    for record in records:
        for one in sorted(record["tables"], key=lambda one: -one["s"])[:4]:
            size = f"{record['trace']}: {record['size']:,}"
            rows.append((size, one["table"], f"{one['s']:.2f}", f"{one['times']:.1f}"))
    intro = (
        "The slowest tables of generated traces, processor seconds, and how many times those of a"
        " trace of a quarter of the size.\n\n"
    )
    return intro + table(("trace", "table", "s", "times"), rows, "llrr")


def _milliseconds(seconds: dict[str, float], tables: Sequence[str]) -> list[str]:
    return [f"{seconds[table] * 1e3:.1f}" for table in tables]


def _timeline(records: Sequence[Record]) -> str:
    rows = [
        (
            f"{record['events']:,}",
            f"{record['build_s_per_million_events']:.2f}",
            f"{sum(record['bytes'].values()) / 1e6 - record['bytes']['tables'] / 1e6:.0f}",
            *(f"{record['reply_s'][part] * 1e3:.1f}" for part in ("median", "p95", "max")),
            f"{record['reply_bytes']['max'] / 1e3:.0f}",
        )
        for record in records
    ]
    columns = ("events", "build, s a million", "levels and lanes, MB")
    return table((*columns, "reply ms, median", "p95", "max", "largest kB"), rows, "rrrrrrr")


def _ranks(records: Sequence[Record]) -> str:
    (record,) = records
    rows = [
        (
            name,
            f"{way['read_s']:.1f}",
            f"{way['ranks_per_s']:.1f}",
            f"{way['mb_per_s']:.0f}",
            f"{way['times_one_worker']:.2f}" if "times_one_worker" in way else "",
            _whole(way["peak_pss_bytes"], 1e-6),
        )
        for name, way in record["ways"].items()
    ]
    intro = (
        f"{record['ranks']} ranks, {record['json_bytes'] / 1e6:.0f} MB of JSON, found in"
        f" {record['discover_s']:.2f} s; kept of each {record['kept_bytes_per_rank'] / 1e3:.0f} kB;"
        f" four tables over all in {record['tables_s']:.2f} s.\n\n"
    )
    columns = ("", "s", "ranks/s", "MB/s", "times one worker", "peak MB")
    return intro + table(columns, rows, "lrrrrr")


def _import(records: Sequence[Record]) -> str:
    (record,) = records
    rows = [(f"`{name}`", f"{value * 1e3:.0f}") for name, value in record["median_s"].items()]
    return table(("import", "ms"), rows, "lr")


def _whole(value: float | None, scale: float, digits: int = 0) -> str:
    return "" if value is None else f"{value * scale:,.{digits}f}"


def _first_picture(records: Sequence[Record]) -> str:
    (record,) = records
    return (
        "Processor time of Python in a fresh process until the first chart:"
        f" {record['whole_s']:.2f} s with the imports of other packages,"
        f" {record['own_s']:.2f} s without them.\n"
    )


def _clicks(records: Sequence[Record]) -> str:
    rows = [
        (
            record["trace"],
            record["view"],
            record["click"],
            *(f"{record[key] * 1e3:.0f}" for key in ("python_s", "page_s", "rest_s")),
            f"{record['messages']:.0f}",
            f"{record['bytes'] / 1e3:.0f}",
        )
        for record in records
    ]
    intro = (
        "Medians: processor milliseconds of Python and of the page's main thread, milliseconds"
        " from the click until nothing moves.\n\n"
    )
    columns = ("trace", "view", "click", "Python", "page", "rest", "messages", "kB")
    return intro + table(columns, rows, "lllrrrrr")


def _draw(records: Sequence[Record]) -> str:
    rows = [
        (
            record["zoom"],
            f"{record['ratio']:g}",
            *(f"{record[key]:.2f}" for key in ("median_ms", "p95_ms", "most_ms", "raster_ms")),
        )
        for record in records
    ]
    columns = ("window", "pixel ratio", "ms, median", "p95", "most", "raster")
    return f"Draw calls of 20,000 slices.\n\n{table(columns, rows, 'lrrrrr')}"
