"""Medians and deviations against NumPy on dense values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.diffs.values.statistics import MAD_SCALE, Layout, Spread, noise, spread


@st.composite
def sparse(draw: st.DrawFn) -> np.ndarray:
    """Draw the values of rows in steps, many of them 0; shape (rows, steps)."""
    rows, steps = draw(st.integers(1, 5)), draw(st.integers(1, 9))
    value = st.one_of(st.just(0.0), st.sampled_from([1.0, 2.0, 2.5]), st.floats(0, 1e9))
    return np.array(
        draw(
            st.lists(st.lists(value, min_size=steps, max_size=steps), min_size=rows, max_size=rows)
        )
    )


@given(sparse(), st.booleans())
def test_medians_and_deviations(dense: np.ndarray, keep_zeros: bool) -> None:
    row, step = np.nonzero(dense >= 0 if keep_zeros else dense)
    found = spread(Layout.of(row, len(dense)), dense[row, step], dense.shape[1])
    median = np.median(dense, axis=1)
    assert found.median.tolist() == median.tolist()
    deviation = MAD_SCALE * np.median(np.abs(dense - median[:, None]), axis=1)
    assert found.deviation.tolist() == pytest.approx(deviation.tolist(), rel=1e-12, abs=1e-12)


def test_no_steps() -> None:
    found = spread(Layout.of(np.empty(0, np.int64), 2), np.empty(0), 0)
    assert found.median.tolist() == found.deviation.tolist() == [0, 0]


def test_noise_is_the_standard_error() -> None:
    one, other = (Spread(np.zeros(1), np.array([s])) for s in (3.0, 4.0))
    assert noise(one, other, (4, 9))[0] == pytest.approx(math.sqrt(9 / 4 + 16 / 9))


@pytest.mark.parametrize("steps", [(2, 9), (9, 2), (0, 0)])
def test_noise_takes_three_steps(steps: tuple[int, int]) -> None:
    one = Spread(np.zeros(1), np.ones(1))
    assert np.isnan(noise(one, one, steps)).all()


def test_no_rows() -> None:
    found = spread(Layout.of(np.empty(0, np.int64), 0), np.empty(0), 3)
    assert len(found.median) == len(found.deviation) == 0
