"""Reading: finding trace files and turning each into a `TraceModel`; one module a format."""

from nbprof.sources.catalog import Catalog, TraceFile
from nbprof.sources.discovery import discover
from nbprof.sources.kineto import read

__all__ = ["Catalog", "TraceFile", "discover", "read"]
