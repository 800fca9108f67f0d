"""What is kept for where there is no kernel: saved states, pages, static summaries.

A cell does not wait for a summary. Files up to 64 MiB (`options.read_at_once_bytes`, ten times
the size for gzip) are read for it; of a larger one that is neither read nor in the cache it only
says so, and how to get it. The tables of a summary are those that the view asks for next, from
the same cache: 0.4 s for 654,528 events. `view.static()` and static views always read, and alone
add up traces of over two million rows, which would take a cell seconds
(`widgets/hints/waiting_time.py`).

Saved state answers like Python. The trait `snapshot` (`widgets/saved`, read by
`js/src/offline/`) holds tables with all their rows as far as they fit, flame graphs, the
timeline, and the script that answers from them; parts are compressed by zlib, so that all tables
of an ordinary trace take some 350 kB. Panels do not know: where Python does not answer, the
router asks this answerer, which sorts, searches, folds trees, narrows memory and writes CSV as
`widgets/requests/pages.py` and its neighbours do, and a test compares the two under Node, value
for value. What it cannot do it names (`lacks`), and the controls that lead there are off with
that sentence. A table that does not fit is cut to the rows that come first, in the order of the
whole, and the banner says so.

Searches find the same names as in Python. There `/…/` is matched by RE2 (`pyarrow.compute`); here
by re2js, a port of RE2, in the script `patterns` (148 kB, 45 kB compressed), which is kept with the
others and run once a `/…/` is searched for. `tests/widgets/saved/test_saved_words.py` tries
thousands of expressions on both sides.

When it is made. At the end of the cell that shows the view, within a second, where the trace has
been read: programs that run notebooks keep what they heard while a cell ran. Else, and after
every change of filter or trace, on a thread of its own once nothing was asked for 1.5 s; the next
question stops it. The same state is never made twice. It is 0.2 s for 76,000 events and 3 s for
660,000, in the background. Of a trace of over two million rows nothing is made while a cell
waits, and later only the first form of each table and graph.

Scripts are kept beside the saved state. `static/offline.js` answers and draws where there is no
Python. It and the scripts of the view's tabs are kept compressed in the trait `_scripts`, once
per model and set with the first saved state; together they take a third of their limit of 400 kB.
A page has them as elements of its own, and `patterns` compressed: its policy lists the hash, so
that it may run later.

A static view is an `Explorer` that opens no line to a browser: a program that uses its traits and
tables runs unchanged under `NBPROF_RENDERER=static`, and no model is saved with the notebook.

A filter on a page is a sum. A call, a launch and an allocation belong to one step at most, and
steps do not overlap in time. So a page holds, beside each table, its figures by step and row in
whole nanoseconds: sums, largest and smallest compose, means and shares follow with Python's own
operations in Python's order, and the first call of each row keeps equal ones in their order. A
name filter chooses rows. `device_summary` looks at gaps between steps too, which have parts of
their own. What no sum gives (unions of time under a name, recommendations, memory over time,
modules, flame graph) is not guessed, and a table of which rows are missing is not filtered.
`tests/widgets/saved/test_page_filters.py` asks both sides under many filters.

A page is held by its policy. `default-src 'none'`, and for scripts the hashes of those that it
carries; data stand in elements that nothing runs. The bundle of the widget is put in as it is but
for its last statement, which hands it to the page instead of a module's importer. Style
attributes are allowed, since the widget lays out with them.

Charts without BokehJS. It takes 1.3 MB and draws only what Python has laid out. The second
bundle, `offline.js`, lays out and draws from tables; it takes 50 kB, a third of that compressed,
since the widget hands it the saved state as it has read it, and its reader of Arrow with it.
"""
