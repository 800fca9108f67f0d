"""Builds models from what CUDA's own profilers record: Nsight Systems and nvprof.

Both write SQLite databases with the same kinds of rows (API calls, kernels, copies, NVTX ranges)
under other names. Their packages read the columns; this one gives them their meaning:

* `labels.py` and `markers.py` read the texts of NVTX ranges. ``torch.autograd.profiler.emit_nvtx``
  writes operators with sequence numbers and shapes, PyProf writes Python literals with arguments
  and call traces. Ranges with these texts become operators; all others are annotations. The text as
  it was recorded stays in the model's table ``nvtx_ranges``.
* `overlapping.py` gives start/end ranges, which need not be nested, lanes of their own.
* `assembly.py` sorts the rows into the tables of the model.

A call may be recorded twice, by the API and by a wrapper around it; the inner one is kept. Ids of
correlation are unique in a process only, so those of further processes are moved beyond 32 bits.
"""
