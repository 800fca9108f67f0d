"""Formulas for FLOPs and bytes, one module for each family of operators.

A multiplication with an addition counts as two operations. Bytes are those of each input read once
and each output written once: the least that an operator without fusion has to move. What PyTorch's
operators compute is defined in ``aten/src/ATen/native/native_functions.yaml``, which also gives the
order of arguments.
"""
