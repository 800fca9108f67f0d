"""Cards: charts and tables under a title, described as plain data and drawn.

A `Card` (`charts/cards/cards.py`) is data: it names the charts, the switches and the table that a
view shows, such as those of stages, NPU steps, events, phases, cores and workers. Bokeh
(`chart_of`), SVG (`svg_of`) and the browser draw the same description. Numbers on the x axis give
vertical bars, names give horizontal bars, and shares give donuts; `wide` and `numbers` of
`charts/cards/card_charts.py` compute their values. Saved state holds these values for every choice
of switches, so that `js/src/offline/cards.ts` only selects and draws them. Under a filter of steps
it uses the rows of those steps; if a chart cannot be narrowed that way, the card says so.
"""
