"""The data of one trace: schemas, filters, intervals, nesting, links, steps and errors."""
