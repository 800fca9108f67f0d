"""One trace in memory: tables, filters, intervals, nesting, links, steps and errors."""
