"""The report of PyProf: every kernel with its operator, direction, parameters, FLOPs and bytes.

NVIDIA's PyProf wrapped the functions of PyTorch in NVTX ranges whose texts hold their arguments,
and reported each kernel of such a recording with twenty columns. `report.py` gives these columns
for every trace: by PyProf's formulas where its ranges were recorded (`calls.py` reads them,
`records.py` and `numbering.py` assign them to kernels, `operators.py` chooses the formula), else
from the operators, shapes and costs of the trace (`trace_rows.py`). `dictionaries.py` reads what
PyProf's own parser wrote.

Unknown figures are null and say why in ``status``; PyProf wrote 0, or stopped.
"""
