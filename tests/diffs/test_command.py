"""``nbprof diff``: exit statuses, formats, options and hostile names."""

from __future__ import annotations

import gzip
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

import nbprof
from nbprof.cli import main
from nbprof.export.diffs.markdown import code, plain
from nbprof.testing import assert_no_slower
from tests.diffs.runs import NET, Op, changed, run

EVIL = "a`b|c<script>alert(1)</script>\n\x1b[31m@team [x](http://y)"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("runs")
    return run(folder / "a"), run(folder / "b", changed(NET, 3, device=80))


def test_exit_statuses(
    runs: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", *runs]) == 0
    assert main(["diff", *runs, "--fail-if", "step_us > +80%"]) == 0
    assert main(["diff", *runs, "--fail-if", "step_us > +5%"]) == 3
    assert "exceeded by more than the noise" in capsys.readouterr().err
    assert main(["diff", *runs, "--fail-if", "step_us > 5%"]) == 2
    assert main(["diff", *runs, "--fail-if", "kernel:/(?=a)/ total_us > +5%"]) == 2
    assert main(["diff", *runs, "--by", "operater"]) == 2
    assert main(["diff", runs[0]]) == 2
    assert main(["diff", runs[0], str(tmp_path / "none")]) == 1
    assert main(["diff", *runs, "--fail-if", "memory_peak_bytes > +1GB"]) == 1


def test_a_file_that_cannot_be_read_fails_whatever_the_limits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = Path(run(tmp_path / "a"))
    for name in ("worker1.pt.trace.json", "worker2.pt.trace.json.gz"):
        broken = tmp_path / "a" / name
        broken.write_bytes(b"x")
        assert main(["diff", str(one.parent), str(one), "--fail-if", "step_us > +99%"]) == 1
        assert name in capsys.readouterr().err
        assert main(["diff", str(broken), str(one)]) == 1
        broken.unlink()
    (tmp_path / "a" / "config.json").write_text('{"lr": 1}')
    assert main(["diff", str(one.parent), str(one)]) == 0


def test_a_file_that_is_cut_off_fails_whichever_worker_it_is_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its beginning looks well; only reading it shows that the rest is missing."""
    one = Path(run(tmp_path / "a"))
    whole = one.read_bytes()
    good = one.parent / "worker1.pt.trace.json"
    limits = ["--fail-if", "step_us > +99%"]
    good.write_bytes(whole)
    assert main(["diff", str(one.parent), str(one), *limits]) == 0
    good.unlink()
    packed = gzip.compress(whole)
    for name, content in (
        ("worker1.pt.trace.json.gz", packed[: len(packed) * 3 // 4]),
        ("worker1.pt.trace.json", whole[: len(whole) * 3 // 4]),
    ):
        cut = one.parent / name
        cut.write_bytes(content)
        assert len(nbprof.load(one.parent)) == 2
        assert main(["diff", str(one.parent), str(one), *limits]) == 1
        assert name in capsys.readouterr().err
        assert main(["diff", str(one), str(one.parent), *limits]) == 1
        assert (
            main(
                [
                    "diff",
                    str(one.parent),
                    str(one),
                    *limits,
                    "--worker",
                    "worker1",
                    "--to-worker",
                    "worker0",
                ]
            )
            == 1
        )
        with pytest.raises(nbprof.NbprofError, match="worker1"):
            assert_no_slower(one.parent, one, "step_us > +99%")
        cut.unlink()


def test_within_noise_and_strict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = [
        run(tmp_path / "a", jitter=0.05),
        run(tmp_path / "b", changed(NET, 0, device=60.6), jitter=0.05, seed=2),
    ]
    limit = ["--fail-if", "kernel:=conv2d_kernel total_us > +0.1%"]
    assert main(["diff", *sides, *limit]) == 0
    assert "only within the noise" in capsys.readouterr().err
    assert main(["diff", *sides, *limit, "--strict"]) == 3


def test_text(runs: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *runs, "--limit", "1", "--fail-if", "step_us > +5%"]) == 3
    out = capsys.readouterr().out
    assert out.startswith("Step time slower: ")
    assert "FAILED  step_us > +5%" in out
    assert "aten::linear (Kernel)" in out
    assert "more rows" in out


def test_json_has_all_figures(runs: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--by", "operator", "--by", "tree", "--by", "waterfall"]
    assert main(["diff", *runs, *words, "--format", "json", "--fail-if", "step_us > +5%"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["complete_steps"] == [6, 6]
    assert list(found["tables"]) == ["operator", "tree", "waterfall"]
    assert found["tables"]["operator"][0]["name"] == "aten::linear"
    assert found["failed"]
    assert found["limits"][0]["limit"] == "step_us > +5%"
    assert not any("/" in side["worker"] for side in (found["baseline"], found["candidate"]))


def test_markdown_is_a_comment(
    runs: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "comment.md"
    words = ["--by", "operator", "--by", "kernel", "--fail-if", "step_us > +5%"]
    assert main(["diff", *runs, *words, "-o", str(file)]) == 3
    lines = file.read_text("utf-8").splitlines()
    assert lines[0].startswith("### ❌ Step time slower: ")
    assert sum(line.startswith("#") for line in lines) == 1
    assert lines.count("<details>") == lines.count("</details>") == 2
    assert any(line.startswith("- `aten::linear` **+") for line in lines)
    assert "Step time slower" in capsys.readouterr().err
    tables = [line for line in lines if line.startswith("|")]
    assert all(line.count("|") >= 7 for line in tables)


def test_a_page_needs_no_scripts(runs: tuple[str, str], tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    assert main(["diff", *runs, "-o", str(file)]) == 0
    page = file.read_text("utf-8")
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert "Step time slower" in page


def test_sides_of_one_source(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(samples / "gpu_resnet_synthetic")
    assert main(["diff", path, path, "--to-worker", "worker1", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [found[side]["worker"] for side in ("baseline", "candidate")] == ["worker0", "worker1"]
    assert main(["diff", path, path, "--all", "--steps", "4:6"]) == 0
    assert "means over 2 workers" in capsys.readouterr().out
    assert main(["diff", path, path, "--to-worker", "w9"]) == 2


@pytest.mark.parametrize("format_", ["text", "md", "html", "json"])
def test_hostile_names(tmp_path: Path, format_: str, capsys: pytest.CaptureFixture[str]) -> None:
    one = run(tmp_path / "a", [Op(EVIL, 20, 30, kernel=EVIL)])
    two = run(tmp_path / "b", [Op(EVIL, 20, 90, kernel=EVIL)])
    words = [word for one in ("operator", "kernel", "tree", "waterfall") for word in ("--by", one)]
    assert main(["diff", one, two, *words, "--format", format_]) == 0
    out = capsys.readouterr().out
    if format_ == "json":
        assert EVIL in {row["name"] for row in json.loads(out)["tables"]["operator"]}
        return
    assert "\x1b" not in out
    if format_ == "html":
        tags: list[str] = []
        parser = HTMLParser()
        parser.handle_starttag = lambda tag, _: tags.append(tag)  # type: ignore[method-assign]
        parser.feed(out)
        assert "script" not in tags
    if format_ == "md":
        rows = [line for line in out.splitlines() if line.startswith("|")]
        assert all("<script" not in line.replace("`` a`b", "") or "``" in line for line in rows)


def test_names_in_markdown() -> None:
    assert code("a|b") == "`a\\|b`"
    assert code("a``b") == "``` a``b ```"
    assert "\n" not in code("a\nb")
    assert plain("<b>@me #1") == "&#60;b&#62;&#64;me &#35;1"
