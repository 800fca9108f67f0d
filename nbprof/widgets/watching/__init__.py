"""Notices new, changed and deleted files, and refreshes views that watch.

A check lists names, sizes and modification times, and opens no file. Traces are written in pieces,
so a difference counts only when two checks in a row saw the same. The browser asks for checks and
offers a button; a view with ``watch=True`` has a thread that checks and refreshes.
"""
