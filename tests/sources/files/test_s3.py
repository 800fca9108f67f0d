"""Profiles in an S3 bucket through pyarrow: equal to local ones, and credentials stay hidden."""

from __future__ import annotations

import gc
import shutil
import traceback
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof import content
from nbprof.cli import main
from nbprof.model.errors import NbprofError, TraceFormatError, TraceNotFoundError
from nbprof.sources.cache import cache
from nbprof.sources.files.filesystems import readable_errors
from nbprof.widgets.requests.catalog import catalog
from tests.support.programs import s3
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.programs.s3 import Server

SECRETS = (s3.SECRET, s3.SECRET.replace("/", "%2F").replace("+", "%2B"), s3.KEY)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    folder = tmp_path_factory.mktemp("s3") / "logs"
    for run in ("gpu_resnet_synthetic", "torch_cpu_convnet"):
        (folder / run).mkdir(parents=True)
        for file in (samples / run).glob("*.json.gz"):
            shutil.copy(file, folder / run)
    write(folder / "my run" / "rank3.pt.trace.json", [op(), kernel()], distributedInfo={"rank": 3})
    write(folder / "notes.json", '{"learning_rate": 0.1}')
    write(folder / ".hidden" / "a.pt.trace.json", [op()])
    return folder


@pytest.fixture(scope="module")
def server(logs: Path) -> Iterator[Server]:
    with s3.serving() as server:
        server.upload(logs, "bucket/logs")
        yield server


def unseen(*texts: Any) -> bool:
    return not any(secret in str(text) for secret in SECRETS for text in texts)


def test_a_directory_is_found_as_on_disk(server: Server, logs: Path) -> None:
    here, there = nbprof.load(logs), nbprof.load(server.url("bucket/logs"))
    wanted = [name for name in here.runs().column_names if name != "path"]
    assert there.runs().select(wanted).equals(here.runs().select(wanted))
    assert there.skipped().to_pylist() == [
        {"path": "s3://bucket/logs/notes.json", "reason": here.skipped()["reason"][0].as_py()}
    ]


def test_tables_are_those_of_the_files_on_disk(server: Server, logs: Path) -> None:
    here, there = nbprof.load(logs), nbprof.load(server.url("bucket/logs"), progress=False)
    for one, other in zip(here, there, strict=True):
        for name in ("steps", "operators", "kernels", "memory_curve", "warnings"):
            assert one.table(name).equals(other.table(name)), (one.run, name)
    assert there.device_time("gpu_resnet_synthetic").equals(
        here.device_time("gpu_resnet_synthetic")
    )


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("bucket/logs/my run", ["rank3"]),
        ("bucket/logs/my run/rank3.pt.trace.json", ["rank3"]),
        ("bucket/logs/*/rank*.pt.trace.json", ["rank3"]),
        ("bucket/logs/gpu_*", ["worker0", "worker1"]),
        ("bucket/**/worker[1-9].*.json.gz", ["worker1"] * 3),
    ],
)
def test_files_directories_and_globs(server: Server, pattern: str, found: list[str]) -> None:
    profile = nbprof.load(server.url(pattern))
    assert [trace.worker for trace in profile] == found


def test_a_dict_gives_ranks_and_lists_may_mix_places(server: Server, logs: Path) -> None:
    gz = sorted((logs / "gpu_resnet_synthetic").iterdir())
    there = server.url(f"bucket/logs/gpu_resnet_synthetic/{gz[1].name}")
    ranks = nbprof.load({5: gz[0], 7: there})
    assert sorted(ranks.runs()["rank"].to_pylist()) == [5, 7]
    mixed = nbprof.load([logs / "my run", server.url("bucket/logs/torch_cpu_convnet")])
    assert len(mixed) == 5
    assert len(mixed.refresh()) == 5


def test_credentials_are_seen_nowhere(
    server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    url = server.url("bucket/logs")
    profile = nbprof.load(url)
    trace = profile.trace()
    texts = [profile, profile.source, profile._repr_html_(), profile.runs(), profile.skipped()]
    texts += [repr(trace), trace.path, trace.file, trace.metadata, repr(trace.file.path)]
    main(["info", url])
    main(["table", url, "operators"])
    captured = capsys.readouterr()
    assert "s3://bucket/logs" in captured.out
    assert unseen(*texts, captured.out, captured.err)
    listed = nbprof.load([url, str(tmp_path)])
    ranked = nbprof.load({0: server.url("bucket/logs/my run/rank3.pt.trace.json")})
    assert unseen(listed, listed.source, listed.skipped(), ranked, ranked.source)


def test_credentials_do_not_reach_the_page(server: Server) -> None:
    for source in (server.url("bucket/logs/my run"), server.url("bucket/none")):
        view = nbprof.Explorer(source)
        reply = catalog(view._session, {}, lambda *_: None)
        assert "s3://bucket" in str(reply.result)
        state = {name: value for name, value in view.get_state().items() if name != "_esm"}
        assert unseen(reply.result, state, repr(view), view._repr_mimebundle_())


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("{user}@bucket/nothing?{rest}", TraceNotFoundError),
        ("{user}@no-such-bucket/logs?{rest}", TraceNotFoundError),
        ("{user}@bucket/logs/*.nothing?{rest}", TraceNotFoundError),
        ("{user}@bucket/logs/notes.json?{rest}", TraceFormatError),
        ("{user}@bucket/logs?scheme=nonsense&endpoint_override={end}", TraceNotFoundError),
        ("{user}@bucket/logs?nonsense={secret}", TraceNotFoundError),
        ("{key}:{secret}@bucket/logs?{rest}", TraceNotFoundError),
    ],
)
def test_errors_hold_no_credentials(server: Server, url: str, error: type[NbprofError]) -> None:
    user, rest = server.url("X").removeprefix("s3://").split("@X?")
    filled = url.format(user=user, rest=rest, key=s3.KEY, secret=s3.SECRET, end=server.endpoint)
    with pytest.raises(error, match="s3://") as caught:
        nbprof.load(f"s3://{filled}")
    shown = "".join(traceback.format_exception(caught.value))
    assert unseen(shown, repr(caught.value))


def test_what_is_cached_is_found_again_and_holds_no_credentials(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NBPROF_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "SMALLEST_EVENTS", 0)
    url = server.url("bucket/logs/gpu_resnet_synthetic")
    gc.collect()  # what other tests have read of it shall be gone
    expected = nbprof.load(url, progress=False).trace().operators()
    cache.finish()
    gc.collect()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    kept = b"".join(path.read_bytes() for path in files)
    assert b"s3://bucket/logs" in kept
    assert not any(secret.encode() in kept for secret in SECRETS)
    assert unseen(*files)
    monkeypatch.setattr(content, "read", None)  # what reads a file
    assert nbprof.load(url).trace().operators().equals(expected)


def test_an_error_of_a_library_is_not_chained(server: Server) -> None:
    url = server.url("bucket/logs")

    @readable_errors(url)
    def use() -> None:
        message = f"cannot use {url}\nand so on"
        raise ValueError(message)

    with pytest.raises(OSError, match="cannot use s3://bucket/logs") as caught:
        use()
    assert unseen(*traceback.format_exception(caught.value), caught.value)
    assert "and so on" not in str(caught.value)


def test_another_process_reads_with_the_same_credentials(server: Server) -> None:
    profile = nbprof.load(server.url("bucket/logs/torch_cpu_convnet"), progress=False)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        profile.read(pool)
    assert profile.skipped().num_rows == 0
    assert profile.operators()["worker"].unique().to_pylist() == ["worker0", "worker1"]


def test_what_goes_and_comes_is_seen(server: Server, tmp_path: Path) -> None:
    write(tmp_path / "a" / "rank0.pt.trace.json", [op("first")])
    write(tmp_path / "b" / "rank0.pt.trace.json", [op("other")])
    server.upload(tmp_path, "changing")
    profile = nbprof.load(server.url("changing"))
    trace = profile.trace("b")
    server.system.delete_file("changing/b/rank0.pt.trace.json")
    with pytest.raises(TraceFormatError, match=r"s3://changing/b/rank0.*no such") as caught:
        trace.operators()
    assert unseen(*traceback.format_exception(caught.value))
    assert profile.refresh().runs()["run"].to_pylist() == ["a"]
    server.upload(tmp_path, "changing")
    assert profile.refresh().trace("b").operators()["name"].to_pylist() == ["other"]
