"""Kernels: their tables, matrix units, and which of them communicate.

Matrix units are used, not used, or unknown. NVIDIA calls them Tensor Cores, AMD Matrix Cores;
which word the heads of columns show travels with the columns (`Column.term`), so that no view
decides by vendor. `analysis/kernels/matrix_units.py` decides for every figure: the full name of a
kernel says most (`matrix_names.py`), then communication and operators that multiply nothing
(`matrix_operators.py`), and a device without such units uses none (`matrix_devices.py`). What
nobody tells is unknown, and no rule counts it as not used. `matrix_dtypes.py` finds the type, by
name, else by the operator's inputs. The columns called `tensor_core_*` are former names, kept for
code that reads them.

Communication is decided once. `analysis/kernels/communication.py` decides for every table, by the
names in `model/names/communication_names.py` and the rules of the user. A model under rules
(`TraceModel.under`) is one of its own that shares the tables, nesting, links and steps;
everything else is kept apart, so that no key has to name the rules. Summaries of ranks and the
tables of a view are kept under the rules, too, and a rank that is read elsewhere takes them
along. The cache on disk holds nothing that depends on them.
"""
