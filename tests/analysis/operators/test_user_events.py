"""Labels of the user are told apart from those of libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.analysis.operators.user_events import user_events
from nbprof.model.errors import UnknownNameError
from nbprof.model.filters.filter import Filter
from tests.support.models import make_model

if TYPE_CHECKING:
    from pathlib import Path

#: Labels that libraries wrote in recordings.
LIBRARIES = (
    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
    "Optimizer.step#AdamW.step",
    "Optimizer.zero_grad#AdamW.zero_grad",
    "ProfilerStep#3",
    "DataParallel.forward",
    "DistributedDataParallel.forward",
    "FSDP::pre_forward (blocks.0)",
    "FSDP::root_post_backward_callback",
    "FullyShardedDataParallel._post_backward_hook",
    "## Call CompiledFxGraph fphs42cox74wbupb4er5cejp445v2lbw5rjgfjszx6hba4y45qnz ##",
    "Torch-Compiled Region: 0/0",
    "TorchDynamo Cache Lookup",
    "AOTDispatcher Runtime Wrapper Prologue",
    "Pregraph bytecode",
    "CUDAGraphNode.record (dynamo_timed)",
    "nccl:all_reduce",
)
USERS = (
    "forward",
    "## forward ##",
    "## Call me ##",
    "Optimizer.clip",
    "DataParallel",
    "my FSDP::pre_forward",
    "Torch",
    "execute_context_0(0)_generation_8(8)",
    "[pl][profile]run_training_batch",
)


def test_labels_of_libraries_are_no_user_events() -> None:
    host = [
        {"name": name, "kind": "annotation", "start": 10 * at, "end": 10 * at + 9}
        for at, name in enumerate((*LIBRARIES, *USERS))
    ]
    assert set(user_events(make_model(host))["name"].to_pylist()) == set(USERS)


@pytest.mark.parametrize(
    ("recording", "labels"),
    [
        ("compiled", set()),
        ("fsdp_one_rank", set()),
        ("gpt_train", {"get_batch"}),
        ("streams", {"copies", "graph", "nested", "raises", "streams"}),
    ],
)
def test_user_events_of_recordings(shared_data: Path, recording: str, labels: set[str]) -> None:
    trace = next(iter(nbprof.load(shared_data / "h200" / recording)))
    assert set(trace.user_events()["name"].to_pylist()) == labels


def test_names_that_differ_in_numbers_are_one_label() -> None:
    names = ("decode[bs=4 pos=384]", "decode[bs=4 pos=385]", "conv1d", "conv2d", "step 1", "step 2")
    host = [
        {"name": name, "kind": "annotation", "start": 100 * at, "end": 100 * at + 10 + at}
        for at, name in enumerate((*names, names[0]))
    ]
    model = make_model(host)
    found = {row["name"]: row for row in user_events(model, group_by="label").to_pylist()}
    assert {name: row["calls"] for name, row in found.items()} == {
        "decode[…]": 3,
        "step …": 2,
        "conv1d": 1,
        "conv2d": 1,
    }
    decode = found["decode[…]"]
    assert decode["host_total_us"] == 0.010 + 0.011 + 0.016
    assert (decode["host_min_us"], decode["host_max_us"]) == (0.010, 0.016)
    by_name = user_events(model)
    assert sum(row["host_total_us"] for row in found.values()) == pytest.approx(
        sum(by_name["host_total_us"].to_pylist())
    )
    narrow = user_events(model, Filter(name="pos=385"), group_by="label")
    assert narrow["name"].to_pylist() == ["decode[bs=4 pos=385]"]
    with pytest.raises(UnknownNameError, match="no grouping 'family'"):
        user_events(model, group_by="family")
