"""The reports of ``nsys stats`` as tables of any trace, under any filter.

Every table is named after its report: ``cuda_gpu_kern_sum`` is `nsys_cuda_gpu_kern_sum`. Columns
have nbprof's names and units (microseconds and bytes). Standard deviations are those of a sample,
0 for a single value, as nsys writes them; medians of an even number of values are the mean of both
in the middle.

They are made of the model and not of the file, so they exist for every recorder, too: there,
annotations and steps are the ranges.
"""
