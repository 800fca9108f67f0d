"""Cards: charts and tables under a title, described as plain data and drawn.

Cards are data. `charts/cards/cards.py` describes what a view shows of stages, NPU steps, events,
phases, cores and workers: charts of named tables, switches and a table. Bokeh (`chart_of`), SVG
(`svg_of`) and the browser draw the same description. Numbers on the x axis give vertical bars,
names give horizontal bars, and shares give donuts; `wide` and `numbers` of
`charts/cards/card_charts.py` compute their values. Saved state holds these values for every choice
of switches, so that `js/src/offline/cards.ts` only selects and draws them. Under a filter of steps
it uses the rows of those steps, and says so where a chart cannot be narrowed that way.
"""
