"""Decodes Chrome trace JSON: windows of text to typed events and columns, with repairs.

In one process, a quarter of the time goes to msgspec, nearly as much to attribute look-ups on
structs (45 ns each; no other way of access is faster), and the rest to text dictionaries, copies
and sorting.
"""
