"""The HTML summary: equal to the tables, bounded in size, and safe under any sanitiser."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.export.html.elements import SHOWN
from nbprof.export.html.summary import MOST_BYTES, message_html
from nbprof.export.summary_tables import Summary
from nbprof.model.units import counts_as_share, format_number, format_pct
from tests.export.reading import ATTRIBUTES, ELEMENTS, STYLES, Reader
from tests.support.summaries import summary_html
from tests.widgets.conftest import EPOCH, write_trace

if TYPE_CHECKING:
    from pathlib import Path

NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'; style='background:url(http://evil.example/x)",
    "&lt;b&gt; & co",
    "\u202egnp.exe\u202c",
    "\u05d0\u05d1\u05d2 \u0645\u0631\u062d\u0628\u0627",
    "a\u0000b\u001b[31mc\u0007",
    "javascript:alert(1)",
    "</td></tr></table></div>",
)


@pytest.fixture(scope="module")
def gpu(samples: Path) -> Any:
    return nbprof.load(samples).trace()


def read(trace: Any, **options: Any) -> Reader:
    return Reader(summary_html(Summary(trace), **options))


def rows(reader: Reader, head: str) -> list[list[str]]:
    """Return the rows of the table whose head has a word."""
    return next(table[1:] for table in reader.tables if head in table[0])


def test_it_is_made_of_what_sanitisers_leave(gpu: Any) -> None:
    for theme in ("auto", "dark", "light"):
        reader = read(gpu, theme=theme)
        assert reader.elements <= ELEMENTS
        assert reader.attributes <= ATTRIBUTES
        assert reader.styles <= STYLES


def test_every_image_is_inside_and_charts_have_words(gpu: Any) -> None:
    images = read(gpu).images
    for one in images:
        source = one["src"] or ""
        assert source.startswith("data:image/svg+xml;base64,")
        assert base64.b64decode(source.partition(",")[2]).startswith(b"<svg ")
        assert one["alt"] is not None
    said = [one["alt"] for one in images if one["alt"]]
    for start in ("Average step, ", "Time of 6 steps", "Time of GPU 0: ", "Operators by device",
                  "Kernels by total", "Allocated memory"):  # fmt: skip
        assert any(text.startswith(start) for text in said), start


def test_the_average_step_is_that_of_the_table(gpu: Any) -> None:
    overview = gpu.overview().to_pylist()
    shown = rows(read(gpu, unit="us"), "Category")
    expected = [
        [row["category"], format_number(row["avg_us"]), f"{format_pct(row['pct'])} %"]
        for row in (*overview[1:], overview[0])
        if row["avg_us"]
    ]
    expected[-1][0] = "Average step"
    assert [line[1:4] for line in shown] == expected


@pytest.mark.parametrize(
    ("table", "column", "head"),
    [("operators", "device_self_us", "Device self, µs"), ("kernels", "total_us", "Total, µs")],
)
@pytest.mark.parametrize("fields", [{}, {"steps": (3, 4)}, {"name": "/c|n/"}])
def test_rankings_are_those_of_the_tables(
    gpu: Any, table: str, column: str, head: str, fields: dict[str, Any]
) -> None:
    trace = gpu.filter(**fields)
    found = trace.table(table).sort_by([(column, "descending")])
    whole = sum(value or 0 for value in found[column].to_pylist())
    shown = rows(read(trace, unit="us"), head)
    for line, row in zip(shown, found.slice(0, 10).to_pylist(), strict=False):
        assert line[2:5] == [
            f"{row['calls']:,}",
            format_number(row[column]),
            f"{format_pct(100 * row[column] / whole)} %",
        ]
    assert len(shown) == 11
    last = shown[-1]
    assert last[1] == f"{found.num_rows - 10} others"
    assert last[3] == format_number(whole - sum(found[column].to_pylist()[:10]))
    assert last[2] == f"{sum(found['calls'].to_pylist()[10:]):,}"


def test_devices_memory_and_advice_are_there(gpu: Any) -> None:
    reader = read(gpu)
    device, time = gpu.device_summary().to_pylist()[0], gpu.device_time().to_pylist()[0]
    line = rows(reader, "Utilization")[0]
    assert line[0] == f"GPU 0 {device['name']}"
    assert line[1] == f"{device['utilization_pct']:.1f} %"
    assert f"Idle {100 * time['idle_us'] / time['total_us']:.1f} %" in reader.text
    assert [row[0] for row in rows(reader, "Peak")] == ["CPU", "GPU 0"]
    for row in gpu.recommendations().to_pylist():
        assert row["message"] in reader.text
        assert row["advice"] in reader.text


def test_a_cpu_trace_has_host_times(samples: Path) -> None:
    reader = read(nbprof.load(samples).trace("torch_cpu_convnet"))
    assert "Operators by host self time" in reader.text
    assert "Utilization" not in reader.text
    assert "Kernels" not in reader.text


def test_a_filter_is_said_and_what_it_leaves_out(gpu: Any) -> None:
    reader = read(gpu.filter(name="nothing has this name"))
    assert "Filtered to " in reader.text
    assert "No operators match the filter." in reader.text
    assert "No step matches the filter." in read(gpu.filter(steps=99)).text


def test_only_the_parts_of_some_views(gpu: Any) -> None:
    reader = read(gpu, views=("kernels",))
    assert "Kernels by total time" in reader.text
    assert "Operators" not in reader.text
    assert "Average step" not in reader.text
    # The timeline has no part of its own.
    assert "Operators" in read(gpu, views=("timeline",)).text


def hostile(folder: Path) -> Any:
    path = write_trace(folder / "worker0.1700000000001.pt.trace.json", steps=tuple(range(1, 30)))
    content = json.loads(path.read_text())
    texts = [f"{nasty}{number}" for number in range(40) for nasty in NASTY]
    for at, event in enumerate(content["traceEvents"]):
        if event["cat"] in {"cpu_op", "kernel", "user_annotation"} and "Step" not in event["name"]:
            event["name"] = texts[at % len(texts)] * (30 if at % 7 == 0 else 1)
    content["deviceProperties"][0]["name"] = NASTY[0] + NASTY[4]
    content["traceEvents"].append(
        {"ph": "M", "name": "process_name", "pid": 1, "ts": EPOCH, "args": {"name": NASTY[1]}}
    )
    path.write_text(json.dumps(content))
    return nbprof.load(path).trace()


@pytest.mark.parametrize("theme", ["auto", "dark"])
def test_hostile_names_are_text(tmp_path: Path, theme: str) -> None:
    trace = hostile(tmp_path)
    html = summary_html(Summary(trace.filter(name="/<|e|\u05d0/")), theme=theme)
    reader = Reader(html)
    assert reader.elements <= ELEMENTS
    assert reader.attributes <= ATTRIBUTES
    assert reader.styles <= STYLES
    assert html.isprintable()
    assert "\u202e" not in html
    assert "<script" not in html
    assert all((one["src"] or "").startswith("data:image/svg+xml;base64,") for one in reader.images)
    assert all(len(line[1]) <= SHOWN for line in rows(reader, "Name"))
    assert len(html.encode()) <= MOST_BYTES


def test_it_is_bounded_and_says_what_is_missing(gpu: Any) -> None:
    whole = summary_html(Summary(gpu))
    assert len(whole.encode()) <= MOST_BYTES
    for most in (20_000, 40_000, 60_000, 80_000):
        html = summary_html(Summary(gpu), most_bytes=most)
        assert len(html.encode()) <= most
        assert "Left out to limit the size: " in Reader(html).text
    assert "Left out" not in Reader(whole).text


def test_sections_are_drawn_smaller_before_they_are_left_out(gpu: Any) -> None:
    whole = summary_html(Summary(gpu)).encode()
    summary = Summary(gpu)
    # 4,000 bytes are reserved
    html = summary_html(summary, most_bytes=len(whole) + 2500)
    assert len(html.encode()) < len(whole)
    text = Reader(html).text
    assert "Left out" not in text
    assert "Allocated memory over time." in html
    assert not summary.compact


def test_colors_of_names_do_not_depend_on_the_filter(gpu: Any) -> None:
    def fill_of(trace: Any) -> dict[str, str | None]:
        reader = read(trace, views=("operators",))
        swatches = [one["src"] for one in reader.images if one["width"] == "10"]
        names = [line[1] for line in rows(reader, "Name")]
        return dict(zip(names, swatches, strict=True))

    before, after = fill_of(gpu), fill_of(gpu.filter(name="cudnn"))
    shared = before.keys() & after.keys()
    assert len(shared) >= 3
    assert {name: before[name] for name in shared} == {name: after[name] for name in shared}


def test_each_table_is_asked_for_once(gpu: Any) -> None:
    asked: list[tuple[Any, str, str]] = []

    def table_of(filter_: Any, name: str, group_by: str) -> Any:
        asked.append((filter_, name, group_by))
        return gpu.filter(filter_).table(name, **({"group_by": group_by} if group_by else {}))

    summary = Summary(gpu.filter(steps=3), table_of)
    first = summary_html(summary)
    assert summary_html(summary) == first
    assert len(asked) == len(set(asked))


def test_words_are_escaped() -> None:
    reader = Reader(message_html("<b>no</b> profile in \x1b a & b", "dark"))
    assert reader.text == "<b>no</b> profile in \\x1b a & b"
    assert reader.elements == {"div"}


def test_devices_say_what_their_shares_are_of(tmp_path: Path) -> None:
    at = {"ph": "X", "pid": 0, "tid": 7}
    events = [
        {**at, "cat": "cpu_op", "name": "aten::mm", "ts": EPOCH, "dur": 50},
        {**at, "cat": "kernel", "name": "k", "ts": EPOCH + 10, "dur": 20, "args": {"device": 0}},
    ]
    path = tmp_path / "rank0.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    said = summary_html(Summary(nbprof.load(path).trace()))
    assert "Utilization: % of the recording." in said
    assert "SM efficiency" not in said
    assert "Matrix units" not in said


@pytest.mark.parametrize(
    ("share", "told"), [(None, False), (0.0, False), (0.04, False), (0.05, True)]
)
def test_a_trace_of_doubt_is_not_worth_a_word(share: float | None, told: bool) -> None:
    assert counts_as_share(share) == told
    assert format_pct(0.04) == "<0.1"
