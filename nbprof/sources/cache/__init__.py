"""The cache of parsed traces on disk.

Entries are never stale. The name of an entry is a hash of the file that was read and of the source
code of `sources/` and `model/`. After a change of either, another entry is looked up, and the old
one is evicted in time. The check sum of an entry is verified before it is opened, since damaged
offsets would crash Arrow; at 10 GB/s that costs less than one table.

Entries are written in the background. Writing begins a second after reading, in one thread, so that
it does not delay the first tables. Nesting, links and steps are computed for it under the lock of
the model, so never twice. A thread that reads more than two files ahead of the writer writes its
entry itself. The process waits for the writer when it ends, for up to 20 s or until Ctrl-C. Files
with fewer than 30,000 events are not cached: parsing them takes no longer than opening an entry.

Entries are not pickled. Metadata are JSON that distinguishes tuples from lists. At worst an entry
holds wrong numbers, and only its owner can write it: a directory or an entry of another user is
not used, and neither is a link in place of the directory (its parent may be a link).
`folder.problem` returns the reason, which the CLI and `diagnose` show.

The hash of the source code is computed when the cache is first imported, since an update of the
package changes the files but not the code of a running process.
"""
