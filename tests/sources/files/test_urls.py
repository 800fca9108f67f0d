"""URLs: detection, and what is shown of them."""

from __future__ import annotations

import pytest

from nbprof.sources.files import urls

SECRET = "wJalr+XUtn/FEMI"  # noqa: S105 - made up


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("s3://bucket/logs", True),
        ("memory://logs", True),
        ("zip://*.json::s3://bucket/logs.zip", True),
        ("simplecache::s3://bucket/logs", True),
        ("logs/run", False),
        ("C://logs", False),
        ("C:\\logs", False),
        ("logs/a::b.json", False),
        ("12:34://x", False),
    ],
)
def test_urls_are_told_from_paths(source: str, expected: bool) -> None:
    assert urls.is_url(source) is expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("s3://bucket/logs", "s3://bucket/logs"),
        (f"s3://AKIA:{SECRET}@bucket/logs?region=x", "s3://bucket/logs"),
        ("s3://AKIA:wJalr%2FFEMI@bucket/logs", "s3://bucket/logs"),
        ("s3://bucket/user@host_12.pt.trace.json", "s3://bucket/user@host_12.pt.trace.json"),
        ("http://host:8080/user@host_1.json", "http://host:8080/user@host_1.json"),
        ("https://host/a.json?X-Amz-Signature=abcdef", "https://host/a.json"),
        ("https://alice:what?/me@host/a.json", "https://host/a.json"),
        ("https://host:8080/a.json?mail=a@b", "https://host:8080/a.json"),
        ("http://[::1]:8080/a.json?mail=a@b", "http://[::1]:8080/a.json"),
        ("sftp://alice@host:22/logs", "sftp://host:22/logs"),
        ("abfs://logs@account.dfs.core.windows.net/run", "abfs://logs@account.dfs.core.windows.net/run"),
        ("abfs://logs:key==@account.dfs.core.windows.net/run", "abfs://logs@account.dfs.core.windows.net/run"),
        ("zip://a.json::s3://k:secret@bucket/logs.zip?x=y", "zip://a.json::s3://bucket/logs.zip"),
        ("https://host/a.json#access_token=abc/def", "https://host/a.json"),
        ("https://host/a.json?x=1#abc", "https://host/a.json"),
        ("s3://bucket/logs#secret", "s3://bucket/logs"),
        ("https://host/logs;jsessionid=abc/a.json", "https://host/logs/a.json"),
        ("https://host/a.json;abc;v=1?x", "https://host/a.json"),
        ("s3://bucket/a;b.json", "s3://bucket/a;b.json"),
        ("s3://bucket/a;token=b", "s3://bucket/a"),
        ("https://al@ice:p/w@host/a.json", "https://host/a.json"),
        ("https://alice:what#me@host/a.json", "https://host/a.json"),
        ("https://alice:p?w@x@host/a.json", "https://host/a.json"),
        ("https://al[ice:p/w@host/a.json", "https://host/a.json"),
        ("https://:secret@host/a.json", "https://host/a.json"),
        ("https://secret:@host/a.json", "https://host/a.json"),
        ("https:///alice:secret@host/a.json", "https:///host/a.json"),
        ("https:/alice:secret@host/a.json", "https:/host/a.json"),
        ("https:" + 2 * "\\" + "alice:secret@host/a.json", "https:" + 2 * "\\" + "host/a.json"),
        ("https://alice:secret%40host/a.json", "https://***/a.json"),
        ("s3://AKIA:secret", "s3://***"),
        ("hdfs:///user/me@host/a.json", "hdfs:///user/me@host/a.json"),
        ("http://[::1]/a.json", "http://[::1]/a.json"),
        ("file:" + "//C:/logs/a.json", "file:" + "//C:/logs/a.json"),
        ("logs/a#1;x=y?z", "logs/a#1;x=y?z"),
        ("C:\\logs\\a#1", "C:\\logs\\a#1"),
        ("simplecache::https://u:p@host/a.json?t=1::x", "simplecache::https://host/a.json::x"),
    ],
)  # fmt: skip
def test_credentials_are_not_shown(url: str, expected: str) -> None:
    assert urls.shown(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        f"s3://AKIA12:{SECRET}@bucket/logs",
        "s3://AKIA12:wJalr%2BXUtn%2FFEMI@bucket/logs?session_token=tok%2Fen9",
        f"https://host/a.json?sig={SECRET}&scheme=https",
        f"abfs://logs:{SECRET}@account.dfs.core.windows.net/run",
        f"https://host/a.json#access_token={SECRET}",
        f"https://host/a.json#{SECRET}",
        f"https://host/a.json;jsessionid={SECRET.replace('/', '%2F')}",
        f"https://al@ice:{SECRET}@host/a.json",
    ],
)
def test_messages_about_a_url_hold_no_credentials(url: str) -> None:
    cited = f"Cannot parse {url!r}; {SECRET} is wrong; tok/en9 has expired; tok%2Fen9, AKIA12"
    text = urls.without_secrets(cited, url)
    for secret in (SECRET, "wJalr%2BXUtn%2FFEMI"):
        assert secret not in text
    if "session_token" in url:
        assert "tok/en9" not in text
        assert "tok%2Fen9" not in text
    if "AKIA" in url:
        assert "AKIA12" not in text
    assert "is wrong" in text


def test_what_says_where_is_no_secret() -> None:
    url = "s3://bucket/logs?endpoint_override=localhost:9000&scheme=http"
    assert urls.without_secrets("cannot reach localhost:9000", url) == "cannot reach localhost:9000"


def test_file_urls_are_paths() -> None:
    assert str(urls.local_path("file:" + "///srv/my%20logs")) == "/srv/my logs"
    assert urls.local_path("s3://bucket") is None
