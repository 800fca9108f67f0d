"""Interprets the names of slices: short forms, demangling, roles, communication.

Names are shown demangled and stored as recorded. The tables of a model hold names as the file has
them. `TraceModel.values(table, "name")`, from which all tables, rules and views take names,
demangles C++ names; `TraceModel.recorded` gives them as recorded. Filters, searches and
`roles.named` use both, `kernels` has a column with the recorded name, details of a slice show it,
and `to_chrome_trace` writes it. Distinct names stay distinct: two that would be demangled to the
same text stay as recorded. The library that reads them (`demangle`) is pure Python and has limits
for depth, length and substitutions, since a mangled name of 250 characters may stand for gigabytes;
those in C++ and Rust crash or fill the memory on such names. All names of a trace together have a
limit, too. Without the library, as on Python 3.10, names stay as recorded.
"""
