"""Draws charts with Bokeh: one glyph for each mark, all bound to named sources."""
