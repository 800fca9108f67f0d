"""Bar charts with bars in parts, vertical or horizontal.

Times that overlap have no donut. Total times of nested calls count in each parent, and device
work of several stages runs at once. Such times are bars, each with its percentage of a whole that
the title names (`charts/bars/nested.py`, `js/src/offline/charts/nestedbars.ts`); of total times
of operators it is the sum of the self times, which a filter by name leaves as it is. Without a
remainder: its sum would count moments twice.
"""
