"""Exports that Python writes: traces, pages and charts as files, and code that opens the profile.

In the Export menu, the browser itself makes charts, CSV and Markdown, also without a kernel.
"""
