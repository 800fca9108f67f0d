"""The messages about the differences between the trace on screen and its baseline, as types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired


class DiffSide(TypedDict):
    """One side of a comparison."""

    run: str
    worker: str
    workers: list[str]
    """The workers whose mean is compared, the first of them as `worker`."""
    span: int
    source: str
    """"baseline" for a trace of the other source; empty for one of the profile on screen."""
    device: str
    """Its devices, with their number and model."""
    format: str
    """The recorder."""
    steps: int
    """Steps under the filter; 0 if none were recorded."""
    complete: int
    """Those of them that figures are medians over."""
    filter: str
    """Conditions that this side has for itself, in words."""


class DiffPart(TypedDict):
    """A category of the step on both sides, or the whole step."""

    category: str
    name: str
    baseline_us: float
    candidate_us: float
    delta_us: float
    delta_pct: float | None
    noise_pct: float | None
    change: Literal["added", "removed", "up", "down", "same"]
    """"same" if the difference is within the noise."""


class DiffBar(TypedDict):
    """A bar of the waterfall: a step, a change, or the rest of all changes."""

    kind: Literal["baseline", "change", "rest", "candidate"]
    category: str | None
    name: str
    baseline_us: float | None
    candidate_us: float | None
    delta_us: float | None
    from_us: float
    to_us: float
    delta_pct: float | None
    noise_pct: float | None
    change: Literal["added", "removed", "up", "down", "same"] | None
    field: str | None
    """Field of the filter that keeps what the bar stands for on both sides."""
    value: str | None


class Diff(TypedDict):
    """Result of ``diff``; without a baseline only the candidate."""

    candidate: DiffSide
    baseline: DiffSide | None
    per_step: NotRequired[bool]
    """Whether figures are medians over steps, instead of sums of whole recordings."""
    reason: NotRequired[str]
    """Why the step changed, as a sentence; not on a page that compares other steps."""
    notes: NotRequired[list[str]]
    parts: NotRequired[list[DiffPart]]
    """The whole step first."""
    bars: NotRequired[list[DiffBar]]
    labels: NotRequired[dict[str, str]]
    """Labels of the kernels of both sides, as `TraceInfo.labels`."""
    missing: NotRequired[str]
    """Why there are no parts and bars, where there is no Python."""
