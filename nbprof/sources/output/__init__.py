"""Writes the files that a user names: pages, charts, traces, tables and reports.

A file is replaced as a whole, so that readers see the old or the new one, and a writer that fails
or is killed leaves the old one. What is no file, such as a device or a pipe, is written to and
stays. Where a link leads is written, and the link stays.
"""
