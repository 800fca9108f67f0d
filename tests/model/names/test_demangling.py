"""Demangling of C++ names: valid, unsupported and hostile ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbprof.model.names import demangling as names
from nbprof.model.names.demangling import BUDGET, LONGEST_READ, readable, readable_names
from tests.support.examples import examples
from tests.support.work import calls

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("demangle", reason="it needs Python 3.11 or newer")

AITER = "_ZN5aiter24add_rmsnorm_quant_kernelIDF16_Li256EEEvv"


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    readable.cache_clear()
    yield
    readable.cache_clear()


def doubling(levels: int) -> str:
    """Return a name of a type that holds the one before twice, and so on."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

    def seen(number: int) -> str:
        number -= 1
        above = digits[number // 36] if number >= 36 else ""
        return f"S{above}{digits[number % 36]}_" if number >= 0 else "S_"

    return "_Z1f1AIiiE" + "".join(f"S_I{seen(k)}{seen(k)}E" for k in range(1, levels))


@pytest.mark.parametrize(
    ("recorded", "shown"),
    [
        (AITER, "void aiter::add_rmsnorm_quant_kernel<_Float16, 256>()"),
        ("_ZN5aiter3fooEPf", "aiter::foo(float*)"),
        ("_ZN5aiter3fooEPf.kd", "aiter::foo(float*)"),
        ("_ZN12_GLOBAL__N_13addEi", "(anonymous namespace)::add(int)"),
        ("void at::native::add<int>(int)", "void at::native::add<int>(int)"),
        ("_ZN5aiter24add_rmsnorm_quant_kernel", "_ZN5aiter24add_rmsnorm_quant_kernel"),
        ("_Zebra", "_Zebra"),
        ("_Zoom", "_Zoom"),
        ("aten::mm", "aten::mm"),
        ("", ""),
    ],
)
def test_names_that_are_read(recorded: str, shown: str) -> None:
    assert readable(recorded) == shown
    assert readable_names([recorded]) == [shown]


def test_names_that_would_read_the_same_stay_as_they_were_recorded() -> None:
    alike = ["_ZN1AC1Ev", "_ZN1AC2Ev", "_Z1gv", "g()", "_Z1hv", "aten::mm"]
    assert readable(alike[0]) == readable(alike[1]) == "A::A()"
    shown = readable_names(alike)
    assert shown == ["_ZN1AC1Ev", "_ZN1AC2Ev", "_Z1gv", "g()", "h()", "aten::mm"]


HOSTILE = {
    "deep types": "_Z1f" + "P" * 1_000_000 + "i",
    "deep types in reach": "_Z1f" + "P" * 8000 + "i",
    "deep arguments": "_Z1f" + "1AI" * 2000 + "i" + "E" * 2000,
    "deep scopes": "_Z" + "N" * 4000 + "1a" + "E" * 4000,
    "deep expressions": "_Z1fI" + "X" * 3000 + "i" + "E" * 3001,
    "doubling": doubling(25),
    "doubling often": doubling(800),
    "a length of its own": "_Z" + "9" * 5000 + "a",
    "nothing behind": "_Z",
    "no text": "_Z\ud800\x00\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_as_they_are(name: str) -> None:
    assert readable(HOSTILE[name]) == HOSTILE[name]
    readable.cache_clear()
    assert calls(lambda: readable(HOSTILE[name])) < 5000


def test_doubling_within_the_limits_is_read() -> None:
    assert len(doubling(8)) < len(readable(doubling(8))) <= LONGEST_READ


def test_a_trace_full_of_mangled_names_is_read_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(names, "readable", lambda name: (read.append(name), f"{name}()")[1])
    many = [f"_ZN{'x' * 1000}{number}" for number in range(2000)]
    shown = readable_names(many)
    assert 0 < len(read) < len(many)
    assert sum(map(len, read)) <= BUDGET
    assert shown == [f"{name}()" if name in read else name for name in many]


PARTS = "S_ S0_ S1_ T_ T0_ I E N J Dp P R K 1A X L Li1E Dn sp cv F v i Z UlvE_ DT dt sr M St _ 0"
parts = st.sampled_from(PARTS.split())


@settings(max_examples=examples(300), deadline=2000)
@given(st.lists(parts, max_size=300).map(lambda found: "_Z" + "".join(found)))
def test_any_mangled_text_is_taken(name: str) -> None:
    assert 0 < len(readable(name)) <= max(LONGEST_READ, len(name))


def test_without_the_library_names_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "_demangler", lambda: None)
    assert readable_names([AITER, "aten::mm"]) == [AITER, "aten::mm"]
