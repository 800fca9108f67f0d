"""Writes the simulated run anew: ``python -m tests.samples.synthetic``."""

from pathlib import Path

from tests.samples.synthetic import write_profiles

if __name__ == "__main__":
    write_profiles(Path(__file__).resolve().parents[1] / "gpu_resnet_synthetic")
