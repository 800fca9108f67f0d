"""Reading: finding trace files and turning each into a `TraceModel`; one module a format.

And writing a model, or a part of it, as a file again.
"""

from nbprof.sources.catalog import Catalog, TraceFile
from nbprof.sources.chrome_trace import write_chrome_trace
from nbprof.sources.discovery import discover
from nbprof.sources.formats import read
from nbprof.sources.options import READ_ALL, ReadOptions
from nbprof.sources.output import opened

__all__ = [
    "READ_ALL",
    "Catalog",
    "ReadOptions",
    "TraceFile",
    "discover",
    "opened",
    "read",
    "write_chrome_trace",
]
