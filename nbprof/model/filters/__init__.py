"""What a filter is, and which rows and windows it keeps.

`within` is found once and holds everywhere. `model/filters/within.py` makes a mask of host rows
and one of device rows from a text, by time on the thread and not by nesting, so that ranges that
cross frames keep what was called in them; `selection.py` applies them beside all other
conditions. Work is proportional to the rows that pass: scopes inside other scopes are dropped,
and each that is left covers one run of rows. Rows of device work with neither launch nor operator
are counted in the metadata of the table (`model/contract/table.py`), through processes and over
workers.
"""
