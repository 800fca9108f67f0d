"""`key_averages`: the table that PyTorch prints after a recording, by PyTorch's own rules.

The rules differ from those of `operators` and are kept apart from them: Python functions and labels
are rows and parents like operators, self time is the duration without the direct children, memory
counts by time whatever the thread, and FLOPs follow a formula for a few operators only.
"""
