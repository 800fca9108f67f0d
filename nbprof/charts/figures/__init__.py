"""Draws charts with Bokeh: one glyph for each mark, all bound to named sources.

A figure has two parts. Its *template* is all of its models as JSON, and is the same for all charts
whose marks differ in numbers and texts only. What filters change is *data*: the columns of its
sources, and the settings (ranges, sizes, units in tooltips). `template` writes both without
importing Bokeh. The browser makes a figure of them once, and then exchanges the data in place;
`drawing` makes a figure in Python, for `view.figure`.
"""
