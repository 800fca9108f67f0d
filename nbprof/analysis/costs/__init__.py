"""FLOPs and bytes of operators and kernels, from the shapes and types that were recorded.

`formulas` holds one module for each family of operators; `registry` lists the families and those
that users add. `signatures` numbers the distinct inputs of operators, so that a formula runs once
for each of them and not for each call. `charges` decides which call counts where calls of the same
work are nested, and divides its cost among its kernels. `device_peaks` knows what devices reach at
best; the tables `operator_costs` and `step_flops` compare with it.
"""
