"""Cards: charts and tables under a title, described as plain data and drawn.

Cards are data. What a view shows of stages, NPU steps, events, phases, cores and workers is
described by `charts/cards/cards.py`: charts of named tables, switches, a table. Bokeh
(`figure_of`), SVG (`svg_of`) and the browser draw the same description: numbers as bars that
stand, names as bars that lie, shares as donuts, all made by `wide` and `numbers` of
`charts/cards/card_charts.py`. A snapshot holds those numbers under every choice, so that
`js/src/offline/cards.ts` only picks and draws; under a filter of steps it takes the rows of those
steps, and says of what no row tells that it cannot.
"""
