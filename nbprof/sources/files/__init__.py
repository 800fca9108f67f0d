"""Opening, unpacking and writing files, on this machine and elsewhere.

Files are read, not mapped. A mapped file that is cut short while it is read kills the process,
which here is a person's kernel; a copy costs a twentieth of the decoding.

What leaves `RemotePath` is safe to print. The URL with its credentials is kept inside, for
connecting and for pickling; `str`, `repr`, keys and messages have the shown one.
"""
