"""Data for readers without a kernel: saved state, pages, static summaries.

A cell does not wait for a summary. Files up to 64 MiB (`options.read_at_once_bytes`; ten times
as much counts for gzip) are read for it. If a larger file is neither read nor in the cache, the
summary only says so, and how to get it. Its tables come from the cache of the view, which requests
the same tables next: 0.4 s for 654,528 events. Only `view.static()` and static views always read
the file, and compute tables of traces with over two million rows, which would block a cell for
seconds (`widgets/hints/waiting_time.py`).

Saved state answers requests as Python does. The trait `snapshot` contains tables, flame graphs and
the timeline; parts are compressed by zlib, so all tables of an ordinary trace take some 350 kB.
Panels work the same in both cases: if Python does not answer, the router calls the answerer in
`js/src/offline/`, which sorts, searches, folds trees, narrows memory and writes CSV as
`widgets/requests/pages.py` and related modules do. A test compares the two under Node, value for
value. The answerer declares what it cannot do (`lacks`), and the controls for that are disabled
with this reason. A table that does not fit is cut to its first rows, and the banner says so.

Searches match the same names as in Python. Python matches `/…/` with RE2 (`pyarrow.compute`); the
browser uses re2js, a port of RE2, in the script `patterns` (148 kB, 45 kB compressed), which is
saved with the other scripts and run at the first search for a `/…/`.
`tests/widgets/saved/test_saved_words.py` compares thousands of expressions.

If the trace has been read, saved state is computed at the end of the cell that shows the view, for
at most a second, because programs that run notebooks save only what arrives while a cell runs.
Otherwise, and after every change of filter or trace, it is computed on a separate thread once there
was no request for 1.5 s; the next request cancels it. The same state is never computed twice. It
takes 0.2 s for 76,000 events and 3 s for 660,000. For a trace of over two million rows, nothing is
computed while a cell waits, and later only the default form of each table and graph.

Scripts are saved beside the saved state. `static/offline.js` answers and draws without Python. It
and the scripts of the view's tabs are stored compressed in the trait `_scripts`, once per model and
together with the first saved state; they take a third of their limit of 400 kB. A page contains
them as script elements, and compressed those that run later or never, such as `patterns`: the
policy of the page lists their hashes, so they can run.

A static view is an `Explorer` without a connection to a browser: a program that uses its traits and
tables runs unchanged under `NBPROF_RENDERER=static`, and no model is saved with the notebook.

A page filters by summing over steps. A call, a launch and an allocation belong to at most one step,
and steps do not overlap in time. So a page contains, beside each table, its figures by step and row
in whole nanoseconds. Sums, maxima and minima over steps follow directly; means and shares follow
by the same operations in the same order as in Python; the first call of each row keeps ties in
order. A name filter selects rows. `device_summary` includes gaps between steps, which have figures
of their own. Results that are not sums (unions of time under a name, recommendations, memory over
time, modules, flame graph) stay unfiltered, and so does a table with missing rows.
`tests/widgets/saved/test_page_filters.py` compares both under many filters.

A page has a strict content policy: `default-src 'none'`, and the hashes of its own scripts. Data
are in elements that are not executed. The bundle of the widget is included unchanged, except for
its export statement. Style attributes are allowed, because the widget uses them for layout.

Charts do not need BokehJS, which takes 1.3 MB and draws only what Python has laid out. The bundle
`offline.js` lays out and draws charts from tables. It takes 50 kB, a third of that compressed,
because the widget passes it the decoded saved state and its Arrow reader.
"""
