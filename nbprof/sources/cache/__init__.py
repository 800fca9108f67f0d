"""The cache of parsed traces on disk.

An entry is never out of date. Its name is a hash of what was read and of the source code of
`sources/` and `model/`: after a change of either, another entry is looked for, and the old one
ages out. What is opened was summed up first, since damaged offsets would crash Arrow; at 10 GB/s
that costs less than one table.

Writing waits. It begins a second after reading, in one thread, so that the first tables come
first; nesting, links and steps are computed for it if nobody asked for them yet, under the lock
of the model, so never twice. Whoever reads more than two files ahead of it writes himself. At the
end of the process it is waited for, up to 20 s; Ctrl-C ends that. Files of fewer than 30,000
events are not kept: they are read in the time that opening takes.

No pickle. Metadata are JSON that tells tuples from lists. An entry can hold wrong numbers at
worst, and only its owner can write one: a folder or an entry that is somebody else's is not used,
nor is a link in the place of the folder (the one above may be a link). `cache_folder.trouble`
says why; the CLI and `diagnose` tell.

The code that counts is the one that runs: its mark is taken when the cache is first imported,
since an update in a running kernel changes the files, not what they had become.
"""
