"""FLOPs compared with `torch.utils.flop_counter`, for models recorded on the CPU by a script."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from math import prod
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.analysis.costs.charges import charges_of
from nbprof.analysis.costs.inputs import Inputs
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = ROOT / "tests" / "support" / "programs" / "record_flops.py"


#: Attention on the CPU, which PyTorch's counter does not know.
UNCOUNTED = "aten::_scaled_dot_product_flash_attention_for_cpu"
COLUMNS = ("input_shapes", "input_types", "input_values")


def counts(model_name: str, folder: Path) -> tuple[float, float, float]:
    """Return our FLOPs, how much of them PyTorch does not count, and PyTorch's."""
    path = folder / f"{model_name}.pt.trace.json"
    model = next(iter(nbprof.load(path, cache=False, progress=False))).model
    charges = charges_of(model)
    own = more = 0.0
    for row in (charges.charged & charges.is_matrix).nonzero()[0].tolist():
        codes = [int(model.column("host", key)[row]) for key in COLUMNS]
        pairs = zip(COLUMNS, codes, strict=True)
        texts = [model.values("host", key)[code] if code >= 0 else "" for key, code in pairs]
        name = model.values("host", "name")[int(model.column("host", "name")[row])]
        own += charges.flops[row]
        more += difference(Inputs.of_texts(name, *texts), charges.flops[row])
    theirs = sum(json.loads((folder / "flops.json").read_text("utf-8"))[model_name].values())
    return own, more, theirs


def difference(inputs: Inputs, flops: float) -> float:
    """Return by how much our FLOPs of a call exceed PyTorch's."""
    if inputs.operator.startswith(UNCOUNTED):
        return flops
    if inputs.operator == "aten::convolution_backward":
        # It counts the gradient by the weight of a grouped convolution as if it had one group.
        once = 2.0 * inputs.count(0) * prod(inputs.shape(2)[1:])
        return -(inputs.value(9) - 1) * once
    return 0


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("needs PyTorch to record models: pip install torch")
    folder: Path = tmp_path_factory.mktemp("flops")
    subprocess.run([sys.executable, str(SCRIPT), str(folder)], check=True)
    return folder


@pytest.mark.parametrize("model_name", ["convolutional", "transformer"])
def test_flops_are_those_of_pytorch(model_name: str, recorded: Path) -> None:
    """What differs is in `difference`; all else is equal."""
    own, more, theirs = counts(model_name, recorded)
    assert theirs > 0
    assert own - more == pytest.approx(theirs, rel=1e-12)
