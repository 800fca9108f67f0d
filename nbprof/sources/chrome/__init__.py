"""Decodes Chrome trace JSON: windows of text to typed events and columns, with repairs.

In one process, a quarter of the time goes to msgspec, a third to attributes of structs (25 ns each;
no other way of access is faster) and the codes of their texts, and the rest to copies and sorting.
"""
