"""Types shared by all recommendation rules: their input `RuleContext`, their result `Finding`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.devices.device_summary import device_summary
from nbprof.analysis.devices.device_time import device_times
from nbprof.analysis.devices.idle_time import idle_time
from nbprof.analysis.grouping import NS_PER_US
from nbprof.analysis.steps.breakdown import break_down
from nbprof.model.intervals import measure
from nbprof.model.reprs import and_list
from nbprof.model.trace.kinds import CATEGORIES
from nbprof.model.units import device_word

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel


@dataclass(frozen=True)
class Finding:
    """One recommendation.

    Attributes
    ----------
    rule, severity, message, advice : str
        As in the table.
    evidence : str
        JSON text returned by `RuleContext.evidence`.
    gain_us : float, optional
        Time that it can save at most, in microseconds of the steps in the range; None if unknown.
    saves : str, optional
        What saves that, as the subject of a sentence.
    """

    rule: str
    severity: str
    message: str
    advice: str
    evidence: str
    gain_us: float | None = None
    saves: str = "This"


#: So many devices are listed in a sentence.
MOST_LISTED: Final = 16


class RuleContext:
    """A trace under a filter, with the tables that several rules read."""

    def __init__(self, model: TraceModel, filter_: Filter) -> None:
        self.model = model
        self.filter = filter_

    @cached_property
    def step_shares(self) -> dict[str, float]:
        """Percentages of the average step by category; empty if there are none to compute."""
        means = break_down(self.model, self.filter).averages()
        total = means.get("total", 0.0)
        return {name: 100.0 * mean / total for name, mean in means.items()} if total else {}

    @cached_property
    def total_us(self) -> float:
        """Time from the first to the last step that counts, in microseconds."""
        return measure(break_down(self.model, self.filter).window()) / NS_PER_US

    def step_gain(self, category: str) -> float:
        """Return the time of a category in all steps, in microseconds."""
        return self.step_shares.get(category, 0.0) * self.total_us / 100.0

    @cached_property
    def devices(self) -> list[dict[str, Any]]:
        """Rows of `device_summary`."""
        rows: list[dict[str, Any]] = device_summary(self.model, self.filter).to_pylist()
        return rows

    @cached_property
    def device_times(self) -> list[dict[str, Any]]:
        """Rows of `device_time`, without the worker."""
        return device_times(self.model, self.filter)

    @cached_property
    def idle_rows(self) -> list[dict[str, Any]]:
        """Rows of `idle_time`."""
        rows: list[dict[str, Any]] = idle_time(self.model, self.filter).to_pylist()
        return rows

    @property
    def step_time(self) -> str:
        """The phrase for the time that percentages of steps refer to."""
        return "the step time" if self.model.steps.recorded else "the recording"

    def evidence(
        self,
        table: str,
        value: float,
        *,
        column: str | None = None,
        row: Mapping[str, Any] | None = None,
        group_by: str | None = None,
        **narrow: Any,
    ) -> str:
        """Return as JSON text which cell of which table supports a finding.

        Parameters
        ----------
        table : str
            Name of the table.
        value : float
            The number: that of `column` in the row matching `row`; without a column, the number of
            rows.
        column, row, group_by
            The position in the table, and the grouping of the table.
        **narrow
            Filter fields that lead to the number, in addition to the current filter.
        """
        found: dict[str, Any] = {
            "table": table,
            "filter": self.filter.replace(**narrow).to_dict(),
            "value": value,
        }
        if group_by is not None:
            found["group_by"] = group_by
        if column is not None:
            found["column"] = column
        if row is not None:
            found["row"] = dict(row)
        return json.dumps(found)


def severity(share: float, limits: tuple[float, float]) -> str:
    """Return the severity of a percentage that exceeds the first of two limits."""
    return "high" if share > limits[1] else "medium"


def step_share(context: RuleContext, category: str, share: float) -> str:
    """Return the evidence for the share of a category in the average step."""
    row = {"category": CATEGORIES[category]}
    return context.evidence("overview", share, column="pct", row=row)


def device_list(numbers: Sequence[int], kind: str = "gpu") -> str:
    """Return a phrase such as "GPU 0" or "GPUs 0, 1 and 2", for any kind of device.

    Of very many, the first are listed: a sentence is to be read.
    """
    listed = and_list(numbers, most=MOST_LISTED)
    return f"{device_word(kind)}{'' if len(numbers) == 1 else 's'} {listed}"
