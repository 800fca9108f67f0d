"""The frame of a page: its policy allows only its scripts, and its data cannot end an element."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from html import unescape
from typing import TYPE_CHECKING

import pytest

from nbprof.export import scripts
from nbprof.export.page import Page, PageError, page_scripts

if TYPE_CHECKING:
    from pathlib import Path

EVIL = "</script><script>alert(1)</script><!--<script>&\u2028\"'"


def html(**fields: object) -> str:
    given = {"title": "t", "subtitle": "s", "traits": {}, "saved": b"\x00\xff"}
    return Page(**{**given, **fields}).html()  # type: ignore[arg-type]


def test_the_policy_has_the_hash_of_every_script() -> None:
    text = html(traits={"tabs": [{"script": "overview"}, {"script": "timeline"}]})
    policy = unescape(re.search(r'Policy" content="([^"]*)"', text).group(1))  # type: ignore[union-attr]
    found = re.findall(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    packed = re.search(r'id="nbprof-scripts">([^<]*)<', text).group(1)  # type: ignore[union-attr]
    later = json.loads(packed)
    # core and page, those of no view and of two views; those that run later or never are compressed
    assert later.keys() == {"patterns", "export", "stacks", "spreads", "timeline.later"}
    assert len(found) == 2 + len(scripts.OTHERS) - 4 + 2
    found += [zlib.decompress(base64.b64decode(one)).decode() for one in later.values()]
    for script in found:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert policy.count("sha256-") == len(found)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")


def test_nothing_that_is_shown_becomes_markup() -> None:
    plain = html()
    text = html(title=EVIL, subtitle=EVIL, traits={EVIL: EVIL})
    for tag in ("<script", "</script", "<!--", "<img"):
        assert text.lower().count(tag) == plain.lower().count(tag)


def test_the_theme_is_that_of_the_reader_or_of_the_view() -> None:
    assert '<html lang="en">' in html()
    assert '<html lang="en" data-theme="dark">' in html(theme="dark")


def test_nothing_is_asked_for_elsewhere() -> None:
    text = html()
    assert not re.search(r'(?:src|href)\s*=\s*"', text.partition('<script type="module">')[0])
    assert "@import" not in text


def test_missing_or_strange_scripts_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts, "STATIC", tmp_path)
    with pytest.raises(PageError, match=r"widget\.js"):
        page_scripts()
    for name in ("widget.js", "page.js", *(f"{other}.js" for other in scripts.OTHERS)):
        (tmp_path / name).write_text("let a=1;", "utf-8")
    with pytest.raises(PageError, match="not the file that was built"):
        page_scripts()
    (tmp_path / "widget.js").write_text("let a=1;export{a as default,b as c};\n", "utf-8")
    assert page_scripts()[0] == "let a=1;globalThis.__nbprofWidget=a;"
    (tmp_path / "page.js").write_text("'</script>'", "utf-8")
    with pytest.raises(PageError, match="end tag of its own element"):
        page_scripts()
