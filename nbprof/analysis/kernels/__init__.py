"""Kernels: their tables, whether they use matrix units, and which are communication.

A kernel uses matrix units, does not, or it is unknown. NVIDIA calls them Tensor Cores, AMD Matrix
Cores; columns carry the right word for their header (`Column.term`), so no view checks the vendor.
`analysis/kernels/matrix_units.py` decides for every figure: first by the full name of a kernel
(`matrix_names.py`), then by communication and by operators that multiply no matrices
(`matrix_operators.py`); a device without such units uses none (`matrix_devices.py`). Everything
else is unknown and never counted as not used. `matrix_dtypes.py` finds the data type by name or by
the operator's inputs. The columns `tensor_core_*` are former names, kept for existing code.

`analysis/kernels/communication.py` decides for every table what is communication, by the names in
`model/names/communication_names.py` and the user's rules. A model under rules (`TraceModel.under`)
is a separate model that shares tables, nesting, links and steps; everything else is computed
separately, so no cache key has to name the rules. Rank summaries and the tables of a view are also
cached by rules, and ranks read in other processes receive the rules. Nothing in the cache on disk
depends on them.
"""
