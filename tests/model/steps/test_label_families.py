"""Step labels of engines and users: their common pattern, and the batch they describe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.model.steps.batch_labels import batch_of
from nbprof.model.steps.label_families import (
    _CLOSING as CLOSING,
)
from nbprof.model.steps.label_families import (
    _ends_of_groups,
    consecutive_numbers,
    family_name,
    family_of,
)

#: Labels as vLLM, its fork for AMD, SGLang, TensorRT-LLM, Lightning, torch_npu and users write
#: them: what they have in common, and the labels.
FAMILIES = {
    "execute_context_…_generation_…": [
        "execute_context_2(37)_generation_0(0)",
        "execute_context_0(0)_generation_12(12)",
        "execute_context_1(2048)_generation_3(3)",
    ],
    "execute_…_context_…_generation_…": [
        "execute_35_context_2(sq64sk64sqsq4096sqsk4096)_generation_1(sq1sk5sqsq1sqsk5)",
        "execute_36_context_0(sq0sk0sqsq0sqsk0)_generation_3(sq3sk19sqsq9sqsk121)",
    ],
    "execute_context_0(0)_generation_…": [
        "execute_context_0(0)_generation_3(3)",
        "execute_context_0(0)_generation_4(4)",
    ],
    "step[EXTEND …]": ["step[EXTEND bs=15 toks=812]", "step[EXTEND bs=3 toks=17]"],
    "step[…]": ["step[EXTEND bs=15 toks=812]", "step[DECODE bs=15]"],
    "[Executor] _forward_step …: … ctx reqs, … gen reqs": [
        "[Executor] _forward_step 12: 3 ctx reqs, 0 gen reqs",
        "[Executor] _forward_step 13: 0 ctx reqs, 4 gen reqs",
    ],
    "gpu_model_runner: forward": ["gpu_model_runner: forward"],
    "[pl][profile]run_training_batch": ["[pl][profile]run_training_batch"],
    "iteration …": ["iteration 9", "iteration 10", "iteration 1.5"],
    "denoise(…)": ["denoise(t=981)", "denoise(t=961)"],
    "## step … of 50 ##": ["## step 1 of 50 ##", "## step 2 of 50 ##"],
    "odd[name": ["odd[name"],
}


@pytest.mark.parametrize("name", FAMILIES)
def test_labels_that_differ_in_numbers_and_arguments_are_one_family(name: str) -> None:
    labels = FAMILIES[name]
    assert len(set(map(family_of, labels))) == 1
    assert family_name(labels) == name


def test_numbers_in_words_are_names() -> None:
    for one, other in (("conv1d", "conv2d"), ("mm_float16", "mm_float32"), ("2d_pool", "3d_pool")):
        assert family_of(one) != family_of(other)
        assert family_of(one) == (one,)
    # At the end of a word they may count.
    assert family_of("step1", endings=True) == family_of("step12", endings=True)
    assert family_name(["step1", "step12"], endings=True) == "step…"
    assert family_of("conv1d", endings=True) != family_of("conv2d", endings=True)
    # Apart from the word they always may.
    assert family_of("step_1") == family_of("step_12") != family_of("step_1d")


def test_other_words_are_another_family() -> None:
    assert family_of("forward") != family_of("backward")
    assert family_of("step 1") != family_of("step 1 ")
    assert family_of("layer_0_attention") != family_of("layer_0_mlp")
    # An engine's labels are not those of its parts.
    assert family_of("gpu_model_runner: forward") != family_of("gpu_model_runner: sample")


def test_steps_have_the_number_in_their_labels_that_counts_them() -> None:
    assert consecutive_numbers(FAMILIES["[Executor] _forward_step …: … ctx reqs, … gen reqs"]) == [
        12,
        13,
    ]
    assert consecutive_numbers(["it 7 of 9", "it 8 of 9", "it 9 of 9"]) == [7, 8, 9]
    assert consecutive_numbers(["bs=3", "bs=5", "bs=4"]) is None
    assert consecutive_numbers(["it 7", "it 9"]) is None
    assert consecutive_numbers(["it 7"]) is None
    assert consecutive_numbers([]) is None
    assert consecutive_numbers(["a", "b 1"]) is None
    assert consecutive_numbers([f"it {10**30}", f"it {10**30 + 1}"]) is None


@pytest.mark.parametrize(
    ("label", "batch"),
    [
        ("execute_context_2(37)_generation_0(0)", "Prefill"),
        ("execute_context_0(0)_generation_12(12)", "Decode"),
        ("execute_context_1(2048)_generation_3(3)", "Mixed"),
        ("execute_context_0(0)_generation_0(0)", None),
        (
            "execute_35_context_2(sq64sk64sqsq4096sqsk4096)_generation_0(sq0sk0sqsq0sqsk0)",
            "Prefill",
        ),
        ("execute_36_context_0(sq0sk0sqsq0sqsk0)_generation_3(sq3sk19sqsq9sqsk121)", "Decode"),
        ("step[EXTEND bs=15 toks=812]", "Prefill"),
        ("step[DECODE bs=15]", "Decode"),
        ("step[MIXED bs=15]", "Mixed"),
        ("step[TARGET_VERIFY bs=4]", "Decode"),
        ("step[IDLE bs=0]", None),
        ("[Executor] _forward_step 12: 3 ctx reqs, 0 gen reqs", "Prefill"),
        ("[Executor] _forward_step: 0 ctx reqs, 4 gen reqs", "Decode"),
        ("[Executor] _forward_step 60000: 1 ctx reqs, 80 ctx tokens, 32 gen reqs", "Mixed"),
        ("gpu_model_runner: forward", None),
        ("llm_engine step: get_output", None),
        ("vae.decode", None),
        ("step 3", None),
    ],
)
def test_what_labels_of_engines_say_of_a_batch(label: str, batch: str | None) -> None:
    assert batch_of(label) == batch


@given(st.text("a1([{}])", max_size=24))
def test_a_bracket_varies_up_to_the_one_that_closes_it(text: str) -> None:
    def closing(start: int) -> int:
        depth = 0
        for at in range(start, len(text)):
            depth += (text[at] == text[start]) - (text[at] == CLOSING[text[start]])
            if depth == 0:
                return at
        return -1

    ends = {at: closing(at) for at, letter in enumerate(text) if letter in CLOSING}
    assert _ends_of_groups(text) == {at: end for at, end in ends.items() if end >= 0}


def test_a_long_label_of_open_brackets_takes_no_time_for_each_of_them() -> None:
    name = "a(" * 200_000
    assert family_of(name) == (name,)
