"""Draws charts with Bokeh: one or more glyphs for each mark, all bound to named sources.

A figure has two parts. Its *template* is all of its models as JSON. Charts whose marks differ only
in numbers and texts have the same template. Its *data* are the columns of its sources and the
settings (ranges, sizes, units in tooltips), and only these change with a filter. `template` writes
both parts without importing Bokeh. The browser creates a figure from them once and then replaces
the data in place; `drawing` creates a figure in Python, for `view.figure`.
"""
