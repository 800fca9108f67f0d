"""Reads compressed files and archives: gzip, xz, bzip2 and Zstandard, zip and tar.

A compressed file is a stream that `nbprof.sources.files.bytesource` unpacks as it is read. An
archive is expanded when it is probed, by its content: each of its files is an `ArchiveMember`,
which is found, probed and read like a file on disk. Nothing is ever extracted, so names in an
archive lead nowhere.
"""
