"""Which devices have matrix units, and what their vendor calls them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.devices.device_rows import devices_in
from nbprof.analysis.kernels.matrix_names import USED, uses_of
from nbprof.model.filters.filter import NO_FILTER
from nbprof.model.names.name_tests import finds
from nbprof.model.names.roles import names_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nbprof.analysis.kernels.matrix_names import Codes
    from nbprof.model.contract.columns import Columns
    from nbprof.model.trace.model import TraceModel

NVIDIA: Final = "nvidia"
AMD: Final = "amd"
#: Name of the units by vendor; a neutral term if the vendor is unknown.
TERMS: Final = {NVIDIA: "Tensor Cores", AMD: "Matrix Cores"}
GENERIC: Final = "Matrix units"

#: The first NVIDIA compute capability and the first AMD gaming architecture with matrix units.
_VOLTA: Final = 7
_RDNA3: Final = 11
_GFX9: Final = 9

_AMD_NAME: Final = re.compile(r"\bamd\b|radeon|instinct|\bmi\d{2,3}[ax]?\b|gfx\d", re.IGNORECASE)
_NVIDIA_NAME: Final = re.compile(
    r"nvidia|tesla|geforce|quadro|titan|\b[gr]tx\b|\b[abhlptv]\d{2,3}s?\b|\bg[bh]\d{3}",
    re.IGNORECASE,
)
_OTHER_NAME: Final = re.compile(r"intel|arc\b|habana|gaudi|ascend|moore|biren|metax", re.IGNORECASE)
#: Turing devices without matrix units.
_TU11: Final = re.compile(
    r"GTX 16\d\d|\bMX4[05]0|\bMX550|Quadro T\d{3,4}\b|\bT[456]00\b|\bT1\d00\b"
)
#: AMD compute devices before MI100, which have none.
_BEFORE_MI100: Final = re.compile(
    r"\bMI(?:6|8|25|50|60)\b|vega|radeon (?:pro )?vii|gfx(?:[78]\d\d|90[0269c]|10\d\d)",
    re.IGNORECASE,
)
_HIP_CALL: Final = re.compile(r"^hip[A-Z]")
_CUDA_CALL: Final = re.compile(r"^cu(?:da)?[A-Z]")


def vendor(model: TraceModel) -> str:
    """Return the vendor of a trace's devices: `NVIDIA`, `AMD`, or "" if unknown."""
    return model.cached("vendor of devices", lambda: _vendor(model))


def term(model: TraceModel) -> str | None:
    """Return the term for the matrix units of a trace's devices.

    None if no device that did work has any, if nothing indicates that one has, or if kernels run on
    cores that have their own columns.
    """
    if model.capabilities.cores is not None:
        return None
    used = devices_in(model, NO_FILTER)
    if not used or all(has_units(model, device) is False for device in used):
        return None
    named = model.vocabulary.matrix_units or TERMS.get(vendor(model))
    return named or (GENERIC if _names_show_units(model) else None)


def knows_matrix_units(model: TraceModel, devices: Iterable[int]) -> bool:
    """Return whether it is known for any device that it has or lacks matrix units."""
    return term(model) is not None or any(has_units(model, d) is not None for d in devices)


def units_are_known(model: TraceModel, devices: Sequence[int]) -> list[bool]:
    """Return for each device whether `knows_matrix_units` holds for it alone."""
    if term(model) is not None:
        return [True] * len(devices)
    return [has_units(model, device) is not None for device in devices]


def with_term(model: TraceModel, columns: Columns) -> Columns:
    """Return columns of a table with the vendor's term in those about matrix units."""
    called = term(model) or ""
    about = ("matrix_unit_", "tensor_core_")
    return tuple(
        replace(column, term=called) if column.name.startswith(about) else column
        for column in columns
    )


def has_units(model: TraceModel, device: int) -> bool | None:
    """Return whether a device has matrix units, None if unknown."""
    about: dict[int, bool | None] = model.cached(
        "devices with matrix units", lambda: _units_by_device(model)
    )
    return about.get(device)


def uses_by_name(model: TraceModel) -> Codes:
    """Return what each distinct name of device work shows, shape (names,); computed once.

    The codes are those of `matrix_names.uses_of`.
    """
    return model.cached("uses by names", lambda: uses_of(names_of(model, "device")))


def _names_show_units(model: TraceModel) -> bool:
    """Return whether the name of any kernel shows that it uses matrix units."""
    return model.cached(
        "names show matrix units", lambda: bool((uses_by_name(model) == USED).any())
    )


def _units_by_device(model: TraceModel) -> dict[int, bool | None]:
    rows = model.tables["devices"].to_pylist()
    return {row["device"]: _has_units(vendor(model), row) for row in rows}


def _has_units(made_by: str, device: dict[str, Any]) -> bool | None:
    name, major = device["name"] or "", device["compute_major"]
    known = major is not None and major >= 0
    if made_by == NVIDIA:
        if _TU11.search(name):
            return False
        return major >= _VOLTA if known else None
    if made_by != AMD:
        return None
    if _BEFORE_MI100.search(name):
        return False
    # The number of gfx9 does not distinguish MI50 from MI100.
    return None if not known else major >= _RDNA3 or major == _GFX9


def _vendor(model: TraceModel) -> str:
    keys = [str(key) for key in model.metadata]
    if any(key.startswith("hip_") for key in keys):
        return AMD
    names = [row["name"] or "" for row in model.tables["devices"].to_pylist()]
    for found, pattern in ((AMD, _AMD_NAME), ("", _OTHER_NAME), (NVIDIA, _NVIDIA_NAME)):
        if any(pattern.search(name) for name in names):
            return found
    if any(key.startswith("cuda_") for key in keys):
        return NVIDIA
    calls = names_of(model, "host")
    for found, pattern in ((AMD, _HIP_CALL), (NVIDIA, _CUDA_CALL)):
        if calls.passing(finds(pattern)).any():
            return found
    return ""
