"""Bar charts whose bars have parts, vertical or horizontal.

Times that overlap are drawn as bars, not as a donut: the total time of a nested call counts in each
parent, and device work of several stages runs at once. Each bar shows its percentage of a whole
that the title names (`charts/bars/nested.py`, `js/src/offline/charts/nestedbars.ts`). For total
times of operators, the whole is the sum of the self times, which a filter by name does not change.
There is no bar for the remaining names, because their sum would count moments twice.
"""
