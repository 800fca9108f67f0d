"""Draws charts as SVG text, which needs neither Bokeh nor a script."""
