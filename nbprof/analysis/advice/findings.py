"""What the rules of `recommendations` share: the finding, its evidence, and what they look at."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nbprof.analysis.devices.summary import device_summary
from nbprof.analysis.devices.time import device_times
from nbprof.analysis.steps.breakdown import break_down
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
        JSON made by `evidence`.
    """

    rule: str
    severity: str
    message: str
    advice: str
    evidence: str


class Scene:
    """A trace under a filter, with the tables that several rules look at."""

    def __init__(self, model: TraceModel, filter_: Filter) -> None:
        self.model = model
        self.filter = filter_

    @cached_property
    def step_shares(self) -> dict[str, float]:
        """Percent of the average step by category; {} without steps or with empty ones."""
        means = break_down(self.model, self.filter).averages()
        total = means.get("total", 0.0)
        return {name: 100.0 * mean / total for name, mean in means.items()} if total else {}

    @cached_property
    def devices(self) -> list[dict[str, Any]]:
        """Rows of `device_summary`."""
        rows: list[dict[str, Any]] = device_summary(self.model, self.filter).to_pylist()
        return rows

    @cached_property
    def device_times(self) -> list[dict[str, Any]]:
        """Rows of `device_time`, without the worker."""
        return device_times(self.model, self.filter)

    @property
    def step_time(self) -> str:
        """What shares of steps are shares of, in words."""
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
        """Return where a number is to be seen, as JSON text.

        Parameters
        ----------
        table : str
            Name of the table.
        value : float
            The number: of `column` in the row where `row` holds; without a column how many rows.
        column, row, group_by
            Where in the table it stands, and how that is grouped.
        **narrow
            Fields of the filter that leads there, on top of the one there is.
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
    """Return how grave a share is that exceeds the first of two limits."""
    return "high" if share > limits[1] else "medium"


def step_share(scene: Scene, category: str, share: float) -> str:
    """Return the evidence of a category's share of the average step."""
    row = {"category": CATEGORIES[category]}
    return scene.evidence("overview", share, column="pct", row=row)


def and_list(items: Sequence[object]) -> str:
    """Return items as people write them: "0", "0 and 1", "0, 1 and 2"."""
    *head, last = map(str, items)
    return f"{', '.join(head)} and {last}" if head else last


def device_list(numbers: Sequence[int], kind: str = "gpu") -> str:
    """Return "GPU 0", "GPUs 0, 1 and 2", or the same of another kind of device."""
    return f"{device_word(kind)}{'' if len(numbers) == 1 else 's'} {and_list(numbers)}"
