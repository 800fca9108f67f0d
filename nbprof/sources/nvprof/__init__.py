"""Reads the databases of nvprof: ``nvprof -o net.sql`` and the profiles of the Visual Profiler.

nvprof was NVIDIA's profiler until CUDA 12; profiles of PyTorch with PyProf were made with it. The
rows are CUPTI's own, so numbers of memory kinds differ from those of Nsight Systems, API calls have
CUPTI's numbers in place of names (`callbacks.py`), and a marker has a row for its start and one for
its end. Times are absolute. Streams, contexts and correlation ids are those of one process: nvprof
writes a file per process.
"""
