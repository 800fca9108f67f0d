"""Reads profiles that are SQLite databases: by column, and without writing to them.

A database is opened with ``mode=ro&immutable=1``: SQLite neither locks it nor creates a journal
next to it. With ``immutable`` it also ignores a write-ahead log, whose content would be missing
without a word, so `state.py` looks for one beforehand.

Exports have no indexes, so whole columns are read and joined in NumPy. `columns.py` reads them,
with the standard library or, three times as fast, with the Arrow reader of ``adbc-driver-sqlite``.
"""
