"""Events of Chrome JSON: windows of text to typed events and columns, with repairs.

Where the time goes (one process): a quarter in msgspec, nearly as much in looking attributes of
structs up (45 ns each, which no way of asking brought down), the rest in dictionaries of texts,
copies and sorting.
"""
