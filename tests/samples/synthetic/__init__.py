"""A simulator of data-parallel GPU training that writes what `torch.profiler` would record.

Nothing here was measured: durations come from a cost model (arithmetic against a peak rate, bytes
against a bandwidth) with random variation from a fixed seed, so the same code writes the same
profile everywhere. From the ground up:

- `recorder`: threads with a clock, nested slices on them, and the trace file they end up in;
- `allocator`: a caching allocator of device memory;
- `kernels`: which kernel an operator runs, how it is launched and how long it takes;
- `gpu`: streams, launches, copies and collectives;
- `autograd`: tensors, and the tape that the backward pass plays in reverse;
- `layers`, `resnet`: the operators of a ResNet-18;
- `training`: the loop of one rank: data loader, forward, backward, all-reduce, optimizer;
- `cluster`: ranks in lock step, and the files they write.
"""

from tests.samples.synthetic.cluster import write_profiles

__all__ = ["write_profiles"]
