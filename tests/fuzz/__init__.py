"""A fuzzer: spoils small recordings of every format in many ways, and uses what nbprof has on them.

``python -m tests.fuzz --cases 2000`` runs many cases, ``--seed N --case K`` repeats one. A case is
a folder with one spoiled recording and a sound one beside it. `seeds` has the recordings,
`mutation` spoils them, `uses` says what is done with them, `checks` what must hold, `pool` runs
cases in processes with limits of time and memory.
"""
