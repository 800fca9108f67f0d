"""Globs on remote paths: what they match, and that no pattern makes them slow."""

from __future__ import annotations

import pytest

from nbprof.sources.files.remote_globs import RemoteGlob

MATCHES = [
    ("a*.json", "ab.json", True),
    ("a*.json", "a/b.json", False),
    ("*/b.json", "a/b.json", True),
    ("*", "a/b/c.json", True),
    ("a*/", "ab/c.json", True),
    ("**/c.json", "c.json", True),
    ("**/c.json", "a/b/c.json", True),
    ("**/b/*.json", "a/b/c/b/d.json", True),
    ("**/b/*.json", "a/b/c/d.json", False),
    ("a/**/d/**/f", "a/b/d/e/d/g/f", True),
    ("a/**/d/**/f", "a/b/e/f", False),
    ("a/**", "a/b/c", True),
    ("[ab]1", "b1", True),
    ("[!ab]1", "b1", False),
    ("[z-a]", "m", False),
    ("[", "[", True),
    ("a?b", "axb", False),
    ("a?b", "a?b", True),
    ("a.b", "axb", False),
    ("*\n.json", "x\n.json", True),
]


@pytest.mark.parametrize(("pattern", "path", "matches"), MATCHES)
def test_what_a_glob_matches(pattern: str, path: str, matches: bool) -> None:
    assert RemoteGlob(pattern).matches(path) is matches


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a*a*a*a*a*a*b", "a" * 10_000),
        ("**/" * 12 + "b", "a/" * 5_000 + "a"),
        ("**/a/*/a/**/a/*/a/**/b", "a/" * 5_000 + "a"),
    ],
)
def test_no_pattern_is_exponential(pattern: str, path: str) -> None:
    """As one regular expression, the first of these takes minutes on 400 letters."""
    glob = RemoteGlob(pattern)
    assert not glob.matches(path)
    assert glob.matches(path[: path.rindex("a")] + "b")
