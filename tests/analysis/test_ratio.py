"""Shares and ratios: null where there is no whole, or one that no quotient fits."""

from __future__ import annotations

import warnings

import numpy as np

from nbprof.analysis.grouping import ratio


def test_a_quotient_that_no_number_holds_is_null() -> None:
    part, whole = np.array([1.0, 3.0, 1e300, 0.0]), np.array([2.0, 0.0, 1e-300, 4.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ratio(part, whole).to_pylist() == [0.5, None, None, 0.0]
        assert ratio(part, whole, 100.0).to_pylist() == [50.0, None, None, 0.0]
