"""Filters: their declaration, and the rows and time windows of a trace that they select.

The field `within` is evaluated once for each text. `model/filters/within.py` computes a mask of
host rows and one of device rows. It decides by time on the thread and not by nesting, so that
ranges that cross frames keep what was called in them. `selection.py` combines the masks with all
other conditions. The cost is proportional to the rows that pass: scopes inside other scopes are
dropped, and each remaining scope covers a contiguous range of rows. Rows of device work with
neither launch nor operator are counted in the metadata of the table (`model/contract/table.py`);
the counts are added up over processes and workers.
"""
