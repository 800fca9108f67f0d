"""Opens, decompresses and writes local and remote files.

Files are read, not memory-mapped. If a mapped file is truncated while it is read, the process is
killed, and here that is the user's kernel. Copying costs a twentieth of the time for decoding.

Everything that `RemotePath` exposes is safe to print. It keeps the URL with its credentials
privately, for connecting and pickling; `str`, `repr`, keys and messages use the URL without them.
"""
