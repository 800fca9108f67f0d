"""Short names and colour slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.model.names.short_names import (
    SLOTS,
    color_slots,
    display_name,
    fnv1a,
    middle_cut,
    short_name,
    stem,
)

if TYPE_CHECKING:
    from random import Random

LAMBDA = (
    "void (anonymous namespace)::elementwise_kernel_with_index<int, at::native::arange_cuda_out("
    "c10::Scalar const&)::{lambda()#1}::operator()() const::{lambda(long)#1}>(int, x<y>::type*)"
)


@pytest.mark.parametrize(
    ("full", "shown", "short"),
    [
        (
            "void cudnn::cnn::wgrad_alg0_engine<float, 512>(int, float const*)",
            "cudnn::cnn::wgrad_alg0_engine<float, 512>",
            "wgrad_alg0_engine<float, 512>",
        ),
        (
            "std::enable_if<!(false), void>::type internal::gemv<float, 1>(Params<float>)",
            "std::enable_if<!(false), void>::type internal::gemv<float, 1>",
            "gemv<float, 1>",
        ),
        (
            LAMBDA,
            LAMBDA.removeprefix("void ").removesuffix("(int, x<y>::type*)"),
            LAMBDA.removeprefix("void (anonymous namespace)::").removesuffix("(int, x<y>::type*)"),
        ),
        ("aten::conv2d", "aten::conv2d", "conv2d"),
        ("volta_sgemm_128x32_nn", "volta_sgemm_128x32_nn", "volta_sgemm_128x32_nn"),
        # No argument list: a space stands before the bracket.
        ("Memcpy HtoD (Pageable -> Device)",) * 3,
        ("nccl:all_reduce",) * 3,
        ("(whole)",) * 3,
        ("",) * 3,
        ("broken)",) * 3,
    ],
)
def test_names(full: str, shown: str, short: str) -> None:
    assert display_name(full) == shown
    assert short_name(full) == short


@given(st.text(alphabet="ab:<>(){} ,~_void*&-", max_size=60))
def test_names_never_fail_and_never_grow(full: str) -> None:
    assert len(display_name(full)) <= len(full)
    assert len(short_name(full)) <= len(full)
    if full.strip():
        assert short_name(full).strip() or not display_name(full).strip()


def test_middle_cut() -> None:
    cut = middle_cut("cudnn_convolution_backward_weight", 20)
    assert cut == "cudnn_convo…d_weight"
    assert middle_cut("short", 5) == "short"
    assert [middle_cut("abcdef", n) for n in (0, 1, 2, 3)] == ["…", "…", "a…", "ab…"]


@given(st.text(max_size=40), st.integers(1, 50))
def test_middle_cut_keeps_to_its_length(text: str, length: int) -> None:
    cut = middle_cut(text, length)
    assert len(cut) <= length
    assert cut == text or "…" in cut


@pytest.mark.parametrize(
    ("text", "value"), [("", 0x811C9DC5), ("a", 0xE40C292C), ("foobar", 0xBF9CF968)]
)
def test_fnv1a_of_the_published_vectors(text: str, value: int) -> None:
    assert fnv1a(text) == value


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("aten::add_", "add"),
        ("aten::add", "add"),
        ("AddBackward0", "add"),
        ("aten::cudnn_convolution_backward_weight", "cudnn_convolution"),
        ("aten::cudnn_convolution", "cudnn_convolution"),
        ("torch::autograd::AccumulateGrad", "accumulategrad"),
    ],
)
def test_stem(name: str, expected: str) -> None:
    assert stem(name) == expected


def test_ten_largest_have_ten_colours() -> None:
    ranked = [f"aten::op{i}" for i in range(30)]
    slot = color_slots(ranked)
    assert sorted(slot(name) for name in ranked[:SLOTS]) == list(range(SLOTS))
    assert slot(ranked[0]) == fnv1a(ranked[0]) % SLOTS


def test_an_occupied_slot_moves_on() -> None:
    first = "aten::a"
    names = (f"aten::x{i}" for i in range(99))
    second = next(n for n in names if fnv1a(n) % SLOTS == fnv1a(first) % SLOTS)
    slot = color_slots([first, first, second])
    assert slot(second) == (slot(first) + 1) % SLOTS


def test_all_others_follow_their_stem() -> None:
    slot = color_slots([f"aten::op{i}" for i in range(10)])
    assert slot("aten::mul_") == slot("aten::mul") == slot("MulBackward0") == fnv1a("mul") % SLOTS


@given(st.lists(st.text(max_size=8), min_size=10, max_size=15, unique=True), st.randoms())
def test_ranks_below_the_tenth_do_not_matter(ranked: list[str], random: Random) -> None:
    rest = ranked[10:]
    random.shuffle(rest)
    slot, again = color_slots(ranked), color_slots([*ranked[:10], *rest])
    assert [slot(name) for name in ranked] == [again(name) for name in ranked]
