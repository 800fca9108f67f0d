"""How PyProf's report reads the ranges around a launch, and numbers and links kernels."""

from __future__ import annotations

from nbprof.analysis.pyprof.numbering import link_backward, number_kernels
from nbprof.analysis.pyprof.records import Record, short_name
from nbprof.analysis.pyprof.report import report_of

CALL = (
    "{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (2, 3),"
    " 'dtype': 'float32'}, {'name': '', 'type': 'tensor', 'shape': (3, 4), 'dtype': 'float32'}]}"
)
TRACE = "{'traceMarker': ['train.py:9', '/env/torch/nn/modules/module.py:5', 'net.py:3']}"


def record(*texts: str, name: str = "sgemm") -> Record:
    made = Record(name, 10)
    made.read_ranges(texts)
    return made


def test_ranges_are_told_apart() -> None:
    one = record(TRACE, "layer:fc1", CALL, "mm, seq = 12", "my own", "my own")
    assert one.trace == ["train.py:9", "net.py:3"]
    assert one.layers == ["fc1"]
    assert [call.function for call in one.calls] == ["mm"]
    assert (one.sequences, one.operators, one.is_backward) == ([12], ["mm"], False)


def test_words_of_a_user_are_not_taken_for_a_payload() -> None:
    """PyProf looks for the words mod, op, args and type anywhere in a text."""
    one = record("mod op args type of my model", "{'mod': 1}", "{broken: 'traceMarker'")
    assert not one.calls
    assert not one.trace
    assert one.operators == ["mod op args type of my model"]


def test_nodes_of_the_backward_pass() -> None:
    one = record("MulBackward1, seq = 7, op_id = 3", "aten::mul, seq = 0")
    assert (one.is_backward, one.sequences, one.operators) == (True, [7], ["Mul"])
    assert not record("CheckpointFunctionBackward, seq = 3", "aten::mul, seq = 5").is_backward


def test_numbers_follow_the_forward_pass() -> None:
    records = [
        record(CALL, "mm, seq = 4"),
        record(CALL, "mm, seq = 4"),
        record("add, seq = 5", "mul, seq = 9"),
        record("relu, seq = 2"),
        record("MmBackward, seq = 4"),
        record("MmBackward, seq = 4"),
        record("nothing numbered"),
    ]
    number_kernels(records)
    link_backward(records)
    assert [one.sequences for one in records] == [[4], [4], [5], [], [4], [4], []]
    assert [one.other_sequences for one in records] == [[], [], [9], [2], [], [], []]
    assert [one.ordinal for one in records] == [0, 1, 0, 0, 0, 1, 0]
    assert records[4].operators == ["mm"], "the call of the forward pass"
    report = report_of(records).to_pylist()
    assert [row["flops"] for row in report] == [48, 48, None, None, 48, 48, None]
    assert [row["dir"] for row in report][3:6] == ["fprop", "bprop", "bprop"]
    assert report[6]["status"] == "no call recorded"


def test_short_names() -> None:
    assert short_name("void at::native::(anonymous namespace)::fill<int>(int*)") == "fill"
    assert short_name("volta_sgemm_32x128_tn") == "volta_sgemm_32x128_tn"
